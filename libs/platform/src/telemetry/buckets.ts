/**
 * A histogram as plain numbers, for frequent measurements: recording a value takes a few comparisons and allocates no
 * object. The readings are passed to `Metrics` unchanged.
 */
export class Buckets {
  /** The number of values in each bucket; the last contains the values above every bound. */
  readonly counts: Float64Array;
  sum = 0;

  /** @param bounds ascending upper bounds, inclusive. */
  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    const { bounds } = this;
    let place = 0;
    while (place < bounds.length && value > bounds[place]) place++;
    this.counts[place]++;
    this.sum += value;
  }
}

/** Upper bounds in seconds for durations from half a millisecond to half a minute. */
export const SECONDS_BUCKETS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];
