import { createHash, randomBytes } from 'node:crypto';
import { base32 } from './totp.js';

/** The number of random bytes in a code: 120 bits are enough for a plain hash (ASVS 6.5.2). */
const BYTES = 15;
const COUNT = 10;
const CODE = /^[A-Z2-7]{24}$/;

/** Creates ten codes, each for one log-in without the app: `ABCDEF-GHIJKL-MNOPQR-STUVWX`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () =>
    base32(randomBytes(BYTES)).replaceAll(/(.{6})(?=.)/g, '$1-'),
  );
}

/**
 * Returns the hash that is stored instead of a code. Case, spaces and hyphens do not matter. Returns undefined for text
 * that cannot be a code.
 */
export function recoveryCodeHash(typed: string): Buffer | undefined {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase();
  return CODE.test(code) ? createHash('sha256').update(code).digest() : undefined;
}
