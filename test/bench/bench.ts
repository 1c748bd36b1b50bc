/** One measured figure. `ok` is set where a target stands in docs/benchmarks.md. */
export interface BenchRow {
  what: string;
  value: number;
  unit: string;
  /** Of the same figure over all rounds, where `value` is the best of them. */
  median?: number;
  /** The target as text, for example `≥ 80 %`. */
  target?: string;
  ok?: boolean;
}

export interface BenchOptions {
  isShort: boolean;
  /** Of the figures that count something by the number that is asked for. */
  count?: number;
  /** Calls a second to a processor. */
  rate?: number;
}

/** What one bench measured in one run on one machine; compare rows only within it. */
export interface BenchReport {
  title: string;
  rows: BenchRow[];
  /** What could not be measured here and why. */
  notRun?: string[];
}

/** The value at a share (0 … 1) of the sorted values. */
export function percentile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** A figure whose target is an upper bound. */
export const atMost = (what: string, value: number, most: number, unit: string): BenchRow => ({
  what,
  value,
  unit,
  target: `≤ ${most} ${unit}`,
  ok: value <= most,
});

/** Half of some times, and the slowest hundredth with its target. */
export const timesRows = (what: string, times: number[], p99MaxMs: number): BenchRow[] => [
  { what: `${what}, p50`, value: percentile(times, 0.5), unit: 'ms' },
  atMost(`${what}, p99`, percentile(times, 0.99), p99MaxMs, 'ms'),
];
