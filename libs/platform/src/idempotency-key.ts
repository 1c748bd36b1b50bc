import { InvalidRequest } from './platform.errors.js';

/** Matches a valid `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_KEY_RULE = 'must be 1 to 255 visible ASCII characters';

/**
 * Returns the value of an `Idempotency-Key` header; undefined if there is none. @throws InvalidRequest for an invalid
 * key, because without the key a command could run twice.
 */
export function idempotencyKeyOf(header: unknown): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY.test(header)) return header;
  throw new InvalidRequest([{ field: 'idempotency-key', message: IDEMPOTENCY_KEY_RULE }]);
}
