import { randomUUID } from 'node:crypto';
import { DEFAULT_SCOPES, KEYS_SCOPE, SCOPES, type Scope } from '#libs/contracts';
import { type Markup, html } from '#libs/public-http';
import { field, hidden } from '../pages/layout.js';
import type { TypedExpiry } from './key-expiry.js';
import { scopeField } from './keys.dto.js';

export interface KeySettings {
  name: string;
  scopes: readonly Scope[];
  /** The daily limit of credits; a string if the input is not a number. */
  daily_credit_cap: number | string | null;
  /** The allowed addresses or blocks; if empty or absent, every address is allowed. */
  allowed_addresses?: readonly string[];
  expires_at?: string | null;
}

export interface NewKeySettings extends KeySettings {
  environment?: string;
  expiry?: TypedExpiry;
}

export const NEW_KEY: NewKeySettings = {
  name: '',
  scopes: DEFAULT_SCOPES,
  daily_credit_cap: null,
};

export function nameField({ name }: KeySettings): Markup {
  const hint = 'What it is for, for example the program that uses it.';
  // A form that is sent twice takes effect only once.
  return html`${hidden('idempotency_key', randomUUID())}
  ${field({ name: 'name', value: name, hint })}`;
}

export function limitFields(settings: KeySettings): Markup {
  const { scopes, daily_credit_cap: cap, allowed_addresses: addresses = [] } = settings;
  const capField = field({
    name: 'daily_credit_cap',
    value: cap === null ? '' : String(cap),
    hint: 'Resets at midnight UTC. Empty: no limit except your balance. A key with a limit cannot start jobs, create keys, or create, change or resume monitors.',
    isOptional: true,
  });
  return html`<fieldset>
      <legend>Scopes</legend>
      ${SCOPES.map((scope) => scopeBox(scope, scopes.includes(scope)))}
    </fieldset>
    ${capField}
    <div class="field">
      <label for="allowed_addresses">Addresses that may use it</label>
      <textarea
        id="allowed_addresses"
        name="allowed_addresses"
        rows="3"
        aria-describedby="allowed_addresses-hint"
      >
${addresses.join('\n')}</textarea>
      <small id="allowed_addresses-hint"
        >Addresses or blocks such as 192.0.2.0/24, one per line. Empty: every address.</small
      >
    </div>`;
}

export function addressWords({ allowed_addresses: addresses = [] }: KeySettings): string {
  if (addresses.length === 0) return '';
  return addresses.length <= 2
    ? `only from ${addresses.join(', ')}`
    : `only from ${addresses.length} addresses`;
}

function scopeBox(scope: Scope, isChecked: boolean): Markup {
  const name = scopeField(scope);
  return html`<label
    ><input type="checkbox" name="${name}" ${isChecked ? html`checked` : undefined} />
    ${scope}${scope === KEYS_SCOPE ? ': creates, rotates and revokes keys through the API' : undefined}</label
  >`;
}

export function scopeWords(scopes: readonly Scope[]): string {
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  if (missing.length === 0) return 'all scopes';
  if (missing.length <= 2) return `all scopes except ${missing.join(', ')}`;
  return scopes.join(', ');
}
