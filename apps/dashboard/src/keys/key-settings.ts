import { SCOPES } from '#libs/contracts';
import { expiryOf } from './key-expiry.js';
import type { KeySettings } from './key-fields.js';
import { type KeySettingsForm, scopeField } from './keys.dto.js';

type ScopeFields = Partial<Record<ReturnType<typeof scopeField>, string>>;

/**
 * Returns the settings in a form, under account's names. Text that is not a number of up to 15 digits is passed on for
 * account to reject.
 */
export function settingsOf(form: KeySettingsForm, now: Date): KeySettings {
  const { name = '', daily_credit_cap: cap = '', allowed_addresses: addresses } = form;
  const digits = cap.trim();
  return {
    name,
    scopes: SCOPES.filter((scope) => (form as ScopeFields)[scopeField(scope)] !== undefined),
    daily_credit_cap: digits === '' ? null : /^\d{1,15}$/.test(digits) ? Number(digits) : digits,
    ...(addresses !== undefined && { allowed_addresses: addressesOf(addresses) }),
    ...expiryOf(form, now),
  };
}

/** Returns each address once, whatever separates them. */
const addressesOf = (text: string) => [
  ...new Set(text.split(/[\s,;]+/).filter((address) => address !== '')),
];
