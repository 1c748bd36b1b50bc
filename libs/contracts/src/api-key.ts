import { createHmac, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * The format of a key: `dds_live_` or `dds_test_`, 30 random base62 characters (178 bits), and the CRC-32 of everything
 * before it as 6 base62 characters, most significant first (S1).
 */
export const API_KEY_PATTERN = /^dds_(live|test)_[0-9A-Za-z]{36}$/;
const API_KEY_LENGTH = 45;

export type KeyEnvironment = 'live' | 'test';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

/** Creates a key in the format of `API_KEY_PATTERN` from the system's randomness. */
export function generateApiKey(environment: KeyEnvironment): string {
  let key = `dds_${environment}_`;
  for (let i = 0; i < RANDOM_LENGTH; i++) key += ALPHABET[randomInt(ALPHABET.length)];
  return key + checksum(key);
}

/**
 * Whether the pattern and the checksum are valid, so that a lookup is worthwhile. The check needs no hash and no query
 * (S2).
 */
export function isWellFormedApiKey(key: string): boolean {
  if (key.length !== API_KEY_LENGTH || !API_KEY_PATTERN.test(key)) return false;
  const body = key.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === key.slice(-CHECKSUM_LENGTH);
}

/**
 * Returns the value that is stored and looked up instead of the key: the key's HMAC-SHA-256 with a server-side pepper,
 * as 64 hex characters. The key has 178 bits of entropy, so no slow hash is needed (ASVS 6.5.2, S3).
 */
export function hashApiKey(key: string, pepper: string): string {
  return createHmac('sha256', pepper).update(key).digest('hex');
}

/** Returns the part of a key that may be shown after its creation: `dds_live_…a1b2` (S5). */
export function maskedApiKey(environment: KeyEnvironment, lastFour: string): string {
  return `dds_${environment}_…${lastFour}`;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let encoded = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    encoded = ALPHABET[rest % 62] + encoded;
    rest = Math.floor(rest / 62);
  }
  return encoded;
}
