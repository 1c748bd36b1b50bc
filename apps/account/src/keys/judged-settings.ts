import type { ApiKey } from './key.entity.js';

/** The settings that gateways check. A change to any other setting publishes no event. */
type JudgedSettings = Pick<ApiKey, 'scopes' | 'allowedAddresses' | 'dailyCreditCap' | 'expiresAt'>;

/** True if gateways need not be notified of a change from `one` to `other`. */
export function isJudgedAlike(one: JudgedSettings, other: JudgedSettings): boolean {
  const text = ({ scopes, allowedAddresses, dailyCreditCap, expiresAt }: JudgedSettings) =>
    JSON.stringify([scopes, allowedAddresses, dailyCreditCap, expiresAt]);
  return text(one) === text(other);
}
