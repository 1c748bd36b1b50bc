import type { KeyState } from '#libs/contracts';
import type { ApiKey } from './key.entity.js';

/**
 * Returns the state of a key at `now`, which is business time. Revocation takes precedence over expiry, and expiry over
 * replacement.
 */
export function keyStateOf(
  key: Pick<ApiKey, 'revokedAt' | 'revokedBecause' | 'expiresAt' | 'replacedBy'>,
  now: Date,
): KeyState {
  if (key.revokedBecause === 'expiry') return 'expired';
  if (key.revokedAt) return 'revoked';
  if (key.expiresAt && key.expiresAt <= now) return 'expired';
  return key.replacedBy ? 'replaced' : 'active';
}
