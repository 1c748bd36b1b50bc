import type { Micros } from '#libs/platform';

/** Formats an amount, cut to whole cents: `1,234.50`. */
export function moneyText(micros: Micros): string {
  const cents = micros / 10_000n;
  return `${(cents / 100n).toLocaleString('en')}.${String(cents % 100n).padStart(2, '0')}`;
}
