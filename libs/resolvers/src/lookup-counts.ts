import { Buckets, SECONDS_BUCKETS, SECOND_MS } from '#libs/platform';
import type { LookupOutcome, SourceAnswer } from './record.js';

/** How often one kind of source gave one kind of answer, and the time this took. */
export interface SourceCounts {
  protocol: SourceAnswer['protocol'];
  role: SourceAnswer['role'];
  outcome: LookupOutcome;
  seconds: Buckets;
}

/** Counts of the lookups since the start, for metrics. */
export class LookupCounts {
  /** Lookups that were started. */
  started = 0;
  /** Lookups that are running. */
  underWay = 0;
  /** Callers that joined a running lookup. */
  joined = 0;
  private readonly bySource = new Map<string, SourceCounts>();

  get sources(): Iterable<SourceCounts> {
    return this.bySource.values();
  }

  note({ protocol, role, outcome, latencyMs }: SourceAnswer): void {
    const name = `${protocol} ${role} ${outcome}`;
    let counts = this.bySource.get(name);
    if (counts === undefined) {
      counts = { protocol, role, outcome, seconds: new Buckets(SECONDS_BUCKETS) };
      this.bySource.set(name, counts);
    }
    counts.seconds.add(latencyMs / SECOND_MS);
  }
}
