import type { Micros } from '#libs/platform';

/** Formats an amount, cut to whole cents: `1,234.50`, `-0.12`. */
export function moneyText(micros: Micros): string {
  const cents = micros / 10_000n;
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  const whole = BigInt(digits.slice(0, -2)).toLocaleString('en');
  return `${cents < 0n ? '-' : ''}${whole}.${digits.slice(-2)}`;
}
