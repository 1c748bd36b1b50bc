import type { DataAnswer } from '../answers/data-answer.js';

/**
 * After this many names in a row whose upstream was not ready, no more names under the same top-level domain are tried.
 */
const REFUSED_MAX = 20;

interface Refusals {
  count: number;
  last: DataAnswer;
}

/**
 * The top-level domains for whose names a call gets no turn at the upstream. Otherwise, each part of a large job would
 * begin a thousand lookups at a slow registry every 20 seconds, although only some twenty get a turn.
 */
export class BusyEndings {
  private readonly refusals = new Map<string, Refusals>();

  /** Returns the refusal for names under the same top-level domain; undefined if the name should be tried. */
  refusalOf(name: string): DataAnswer | undefined {
    const known = this.refusals.get(endingOf(name));
    return known && known.count >= REFUSED_MAX ? known.last : undefined;
  }

  note(name: string, answer: DataAnswer): void {
    const ending = endingOf(name);
    if (answer.outcome !== 'throttled') this.refusals.delete(ending);
    else {
      const count = (this.refusals.get(ending)?.count ?? 0) + 1;
      this.refusals.set(ending, { count, last: answer });
    }
  }
}

const endingOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);
