import { type Markup, html } from '#libs/public-http';

const CENT_MICROS = 10_000n;
/** The formatters by currency. Creating one takes much longer than using it, and a page may have 1,000 amounts. */
const FORMATS = new Map<string, Intl.NumberFormat>();
const DATE_LENGTH = 10;

/**
 * Formats an amount without fractions of a cent. @param micros millionths of the currency unit, as a decimal number.
 */
export function money(micros: string, currency = 'USD'): string {
  const amount = Number(BigInt(micros) / CENT_MICROS) / 100;
  const format =
    FORMATS.get(currency) ?? new Intl.NumberFormat('en-US', { style: 'currency', currency });
  FORMATS.set(currency, format);
  return format.format(amount);
}

const GROUPED = new Intl.NumberFormat('en-US');

export const grouped = (credits: number) => GROUPED.format(credits);

/** Returns a time (RFC 3339) to the minute. A script adds the visitor's local time. */
export const minute = (time: string): Markup =>
  html`<time datetime="${time}">${minuteText(time)}</time>`;

/** Returns the same text as `minute`, without markup, for use in a sentence. */
export const minuteText = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** Returns the day (UTC) of a time in RFC 3339. */
export const day = (time: string) => time.slice(0, DATE_LENGTH);
