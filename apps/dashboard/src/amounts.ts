import { type Markup, html } from '#libs/public-http';

const CENT_MICROS = 10_000n;
const DATE_LENGTH = 10;

/** @param micros millionths of the currency unit, decimal. */
export function money(micros: string, currency = 'USD'): string {
  const amount = Number(BigInt(micros) / CENT_MICROS) / 100;
  return amount.toLocaleString('en-US', { style: 'currency', currency });
}

export const grouped = (credits: number) => credits.toLocaleString('en-US');

/** A time in RFC 3339, to the minute; a script adds the visitor's local time. */
export const minute = (time: string): Markup =>
  html`<time datetime="${time}">${minuteText(time)}</time>`;

/** The same as plain text within a sentence. */
export const minuteText = (time: string) => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** The day (UTC) of a time in RFC 3339. */
export const day = (time: string) => time.slice(0, DATE_LENGTH);
