/** Who waits first for an upstream: a person, a monitor, a bulk job. */
export type Priority = 'live' | 'monitor' | 'bulk';

export interface PolitenessOptions {
  /** Monotonic milliseconds; `performance.now` by default. */
  now?: () => number;
}

/** Holds back questions so that no upstream is asked more often than it allows. */
export class Politeness {
  constructor(private readonly options: PolitenessOptions = {}) {}

  now(): number {
    return this.options.now?.() ?? performance.now();
  }
}
