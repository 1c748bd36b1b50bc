import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** OWASP's first choice for argon2id: 19 MiB, two passes; two lanes (RFC 9106; S19). */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 2;
const HASH_BYTES = 32;
const SALT_BYTES = 16;

const PREFIX = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$`;

const derive = promisify(argon2);

/** The PHC string of a password. Runs on libuv's pool, off the main thread. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await argon2id(password, salt);
  return `${PREFIX}${base64(salt)}$${base64(hash)}`;
}

/** @throws when the stored text is not ours. */
export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [salt, hash] = stored.startsWith(PREFIX) ? stored.slice(PREFIX.length).split('$') : [];
  if (!salt || !hash) throw new Error('a stored password hash has an unknown form');
  const expected = Buffer.from(hash, 'base64');
  const given = await argon2id(password, Buffer.from(salt, 'base64'));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function argon2id(password: string, salt: Buffer): Promise<Buffer> {
  return derive('argon2id', {
    // The same password typed on two systems may arrive composed and decomposed (RFC 8265 §4.2).
    message: password.normalize('NFC'),
    nonce: salt,
    memory: MEMORY_KIB,
    passes: PASSES,
    parallelism: PARALLELISM,
    tagLength: HASH_BYTES,
  });
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
