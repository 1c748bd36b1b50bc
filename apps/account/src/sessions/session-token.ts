import { createHash, randomBytes } from 'node:crypto';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** Creates a token of 256 random bits as base64url, for session cookies and e-mailed links. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the hash that is stored instead of a token. Returns undefined for text that cannot be a token, so that no
 * query is needed.
 */
export function tokenHash(token: unknown): Buffer | undefined {
  if (typeof token !== 'string' || !TOKEN.test(token)) return undefined;
  return createHash('sha256').update(token).digest();
}
