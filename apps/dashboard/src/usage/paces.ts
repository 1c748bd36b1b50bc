import type { KeyUsageAnswer } from '#libs/contracts';
import type { Series } from './usage-series.js';

/** With fewer answers than this, "19 of 20" would mean all of them. */
const FEW = 20;

/** Response times: the name of each range, and the number of its answers per day. */
export interface Paces {
  names: string[];
  byDay: ReadonlyMap<string, number[]>;
  total: number[];
}

export function pacesOf({ within_ms: bounds, days }: KeyUsageAnswer): Paces {
  const names = [...bounds.map((ms) => `within ${lengthOf(ms)}`), 'later'];
  const none = names.map(() => 0);
  const add = (left: readonly number[], right: readonly number[]) =>
    left.map((count, place) => count + right[place]);
  const byDay = new Map<string, number[]>();
  for (const { date, within } of days) byDay.set(date, add(byDay.get(date) ?? none, within));
  return { names, byDay, total: [...byDay.values()].reduce(add, none) };
}

/** Returns the series of a chart, fastest first. Ranges without answers are omitted. */
export function paceSeries({ names, byDay, total }: Paces): Series[] {
  const all = names.map((name, place) => ({
    name,
    total: total[place],
    byDay: new Map([...byDay].map(([date, counts]) => [date, counts[place]])),
  }));
  return all.filter((series) => series.total > 0);
}

/**
 * Returns a sentence about how long it took for half of the answers, and for 19 of 20 (or all, if there are few), to
 * arrive; empty if there are no answers.
 */
export function paceWords({ names, total }: Paces): string {
  const all = total.reduce((sum, count) => sum + count, 0);
  if (all === 0) return '';
  const paceOf = (share: number) => {
    let sum = 0;
    return names[total.findIndex((count) => (sum += count) >= all * share)];
  };
  const isFew = all < FEW;
  const [half, most] = [paceOf(0.5), paceOf(isFew ? 1 : 0.95)];
  const last = names.at(-1);
  const words = (pace: string) => (pace === last ? `later than ${names.at(-2)!.slice(7)}` : pace);
  if (all === 1) return `The only answer arrived ${words(half)}.`;
  return isFew
    ? `At least half of the ${all} answers arrived ${words(half)}, the slowest ${words(most)}.`
    : `At least half of the answers arrived ${words(half)}, 19 of 20 ${words(most)}.`;
}

const lengthOf = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);
