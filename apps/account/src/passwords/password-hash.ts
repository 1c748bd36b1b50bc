import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

/** The cost parameters of a hash (RFC 9106). They are stored with each hash, so that the cost can be raised. */
export interface HashCost {
  memoryKib: number;
  passes: number;
  parallelism: number;
}

/** OWASP's recommendation for argon2id, 19 MiB and two passes, with two lanes (S19). */
export const HASH_COST: HashCost = { memoryKib: 19_456, passes: 2, parallelism: 2 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** Returns the hash of a password as a PHC string. Hashes on libuv's pool, off the main thread. */
export async function hashPassword(password: string, cost: HashCost): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await argon2id(password, salt, { cost, hashBytes: HASH_BYTES });
  return `${prefixOf(cost)}${base64(salt)}$${base64(hash)}`;
}

/**
 * Returns whether a password matches a stored hash, with the cost parameters of that hash.
 * @throws Error if the stored text is not one of our hashes.
 */
export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, hash] = STORED.exec(stored) ?? [];
  if (!hash) throw new Error('a stored password hash has an unknown format');
  const expected = Buffer.from(hash, 'base64');
  const cost = {
    memoryKib: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  };
  const hashBytes = expected.length;
  const given = await argon2id(password, Buffer.from(salt, 'base64'), { cost, hashBytes });
  return timingSafeEqual(given, expected);
}

/** True if the cost of a hash differs from the current cost. */
export function isOutdatedHash(stored: string, cost: HashCost): boolean {
  return !stored.startsWith(prefixOf(cost));
}

/** Returns a hash that has the current cost and matches no password. */
export function nobodysHash(cost: HashCost): string {
  return `${prefixOf(cost)}${'A'.repeat(22)}$${'A'.repeat(43)}`;
}

function prefixOf({ memoryKib, passes, parallelism }: HashCost): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$`;
}

function argon2id(
  password: string,
  salt: Buffer,
  { cost, hashBytes }: { cost: HashCost; hashBytes: number },
): Promise<Buffer> {
  return derive('argon2id', {
    // For the same password, one system may send composed characters and another system decomposed characters (RFC 8265
    // §4.2).
    message: password.normalize('NFC'),
    nonce: salt,
    memory: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.parallelism,
    tagLength: hashBytes,
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
