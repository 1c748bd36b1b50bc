const SHARE_DIGITS = 18;
const ONE = 10n ** BigInt(SHARE_DIGITS);

/**
 * Credits that a reversal of `share` aims at: min(granted, ceil(granted × share)), exactly.
 * @param share decimal string from 0 to 1 with at most 18 digits after the point.
 */
export function reversalTarget(granted: number, share: string): number {
  const [whole, fraction = ''] = share.split('.');
  const scaled = BigInt(whole) * ONE + BigInt(fraction.padEnd(SHARE_DIGITS, '0'));
  const target = (BigInt(granted) * scaled + ONE - 1n) / ONE;
  return Math.min(granted, Number(target));
}

/** True when everything was taken back. */
export function isWhole(share: string): boolean {
  return share.startsWith('1');
}
