import { Buckets, SECONDS_BUCKETS, SECOND_MS } from '#libs/platform';
import type { LookupOutcome, SourceAnswer } from './record.js';

export interface SourceCounts {
  protocol: SourceAnswer['protocol'];
  role: SourceAnswer['role'];
  outcome: LookupOutcome;
  seconds: Buckets;
}

export class LookupCounts {
  started = 0;
  underWay = 0;
  /** The number of callers that joined a running lookup. */
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
