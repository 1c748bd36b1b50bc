import { type IssuedKeyAnswer, type KeyAnswer, maskedApiKey } from '#libs/contracts';
import { keyStateOf } from './key-state.js';
import type { NewKey } from './keys.repository.js';

export type KeyDescription = Omit<KeyAnswer, 'rank'>;

/**
 * Returns the description of a key. Its owner sees the description, and the audit log stores a hash of it. @param now
 * business time.
 */
export function describeKey(key: NewKey, now: Date): KeyDescription {
  return {
    id: key.id,
    name: key.name,
    environment: key.environment,
    masked: maskedApiKey(key.environment, key.lastFour),
    state: keyStateOf(key, now),
    scopes: key.scopes,
    allowed_addresses: key.allowedAddresses,
    daily_credit_cap: key.dailyCreditCap,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    replaced_by: key.replacedBy,
    revoked_because: key.revokedBecause,
  };
}

/** Returns the answer to a repeated call, without the key's value, which is shown only once (S5). */
export function withoutValue(answer: IssuedKeyAnswer): IssuedKeyAnswer {
  return { ...answer, key: undefined };
}
