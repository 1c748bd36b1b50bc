import type { ReversedLine } from './reversed-line.entity.js';

/** The time that a grant's credits cover: the part of its slice that its line paid for. */
export interface GrantTime {
  begin: Date;
  end: Date;
}

/**
 * Returns how many credits of a grant its reversals take, exactly: ceil(granted × (rem + (1 − rem) × whole)). `rem` is
 * the share of the grant's time after its earliest reversal of scope `remaining`; `whole` is the share that the other
 * reversals took of the money left by the reversals of scope `remaining`.
 * @param time undefined for credits that cover no time. All their reversals count as `whole`.
 */
export function reversalTarget(
  granted: number,
  time: GrantTime | undefined,
  reversals: ReversedLine[],
): number {
  if (reversals.length === 0) return 0;
  const isRemaining = ({ scope }: ReversedLine) => time !== undefined && scope === 'remaining';
  const cuts = reversals.filter(isRemaining);
  const [cutMicros, wholeMicros] = [
    sum(cuts),
    sum(reversals.filter((reversed) => !isRemaining(reversed))),
  ];
  const paid = max(reversals.map(({ paidMicros }) => BigInt(paidMicros)));
  const money = max([1n, paid - cutMicros]);
  const whole = wholeMicros < money ? wholeMicros : money;
  const { part, length } = restOf(time, cuts);
  // This is granted × (part/length + (1 − part/length) × whole/money), with one denominator.
  const numerator = BigInt(granted) * (part * money + (length - part) * whole);
  const denominator = length * money;
  const target = Number((numerator + denominator - 1n) / denominator);
  return Math.min(granted, target);
}

/** Returns the share of the time after the earliest cut, as a fraction. */
function restOf(time: GrantTime | undefined, cuts: ReversedLine[]) {
  if (!time || cuts.length === 0) return { part: 0n, length: 1n };
  const [begin, end] = [time.begin.getTime(), time.end.getTime()];
  const cut = Math.min(...cuts.map(({ from }) => from?.getTime() ?? begin));
  return { part: BigInt(Math.max(0, end - Math.max(cut, begin))), length: BigInt(end - begin) };
}

function sum(reversals: ReversedLine[]): bigint {
  return reversals.reduce((total, { refundedMicros }) => total + BigInt(refundedMicros), 0n);
}

function max(values: bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}
