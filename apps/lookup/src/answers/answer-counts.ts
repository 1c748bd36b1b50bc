import type { Outcome, Source } from '#libs/contracts';

interface AnswerCount {
  outcome: Outcome;
  servedFrom: Source;
  count: number;
}

export class AnswerCounts {
  private readonly counts = new Map<string, AnswerCount>();

  note(outcome: Outcome, servedFrom: Source): void {
    const name = `${outcome} ${servedFrom}`;
    const known = this.counts.get(name);
    if (known) known.count++;
    else this.counts.set(name, { outcome, servedFrom, count: 1 });
  }

  all(): Iterable<AnswerCount> {
    return this.counts.values();
  }
}
