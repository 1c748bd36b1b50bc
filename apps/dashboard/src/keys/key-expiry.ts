import { DAY_MS } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { field } from '../pages/layout.js';
import { selectField } from '../pages/select-field.js';

const NEVER = 'never';
const DAYS = [30, 90, 365];
const WHOLE_DATE = /^\d{4}-\d{2}-\d{2}$/;

export interface TypedExpiry {
  expires_in?: string;
  expires_on?: string;
}

/**
 * Returns the expiry of a key as account accepts it: null for none, undefined if nothing was chosen. A date takes
 * precedence over the number of days. In both cases, the key expires at the last moment of a day (UTC), so that a form
 * that is sent twice makes the same request twice. Text that is not a date is passed on for account to reject.
 */
export function expiryOf(typed: TypedExpiry, now: Date): { expires_at?: string | null } {
  const choice = typed.expires_in ?? '';
  const date = (typed.expires_on ?? '').trim();
  if (date !== '') return { expires_at: WHOLE_DATE.test(date) ? endOf(date) : date };
  if (choice === '') return {};
  if (choice === NEVER) return { expires_at: null };
  const days = DAYS.find((number) => String(number) === choice);
  if (days === undefined) return { expires_at: choice };
  const last = new Date(now.getTime() + days * DAY_MS);
  return { expires_at: endOf(last.toISOString().slice(0, 10)) };
}

const endOf = (day: string) => `${day}T23:59:59Z`;

/** @param asItIs the label of the choice that keeps the expiry. Without it, the first choice is "never". */
export function expiryFields(typed: TypedExpiry = {}, asItIs?: string): Markup {
  return html`${selectField('expires_in', {
    label: 'Expires',
    all: asItIs,
    options: [
      [NEVER, 'Never: it works until you revoke it'],
      ...DAYS.map((days) => [String(days), `In ${days} days`] as const),
    ],
    chosen: typed.expires_in,
  })}
  ${field({
    name: 'expires_on',
    label: 'Or at the end of this day (UTC)',
    type: 'date',
    value: typed.expires_on,
    hint: 'A day entered here overrides the choice above.',
    isOptional: true,
  })}`;
}
