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
