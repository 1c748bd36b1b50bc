import type { Source } from '#libs/contracts';
import { type Clock, MINUTE_MS, SECOND_MS } from '#libs/platform';
import { type AnswerCache, type Findings, isFailure } from './answer-cache.js';
import { LookupOverloaded } from './answers.errors.js';

/** A second look within this time may be answered from memory, as the gateway asks with a repeat. */
const REPEAT_MS = MINUTE_MS;
const WAITING_MAX = 2_000;

/** How old an answer may be. */
export interface Freshness {
  /** Seconds; 0 asks anew. */
  max_age: number;
  allow_stale: boolean;
  fresh: boolean;
}

export interface Found<Lookup> {
  lookup: Lookup;
  servedFrom: Source;
}

/** Decides whether memory will do, or somebody has to be asked. */
export class RememberedAnswers<Lookup extends Findings> {
  private waiting = 0;

  constructor(
    private readonly cache: AnswerCache<Lookup>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param repeat the gateway charged the same question less than a minute ago.
   * @param look asks; called at most once.
   * @throws LookupOverloaded
   */
  async find(
    key: string,
    question: Freshness & { repeat: boolean },
    look: () => Promise<Lookup>,
  ): Promise<Found<Lookup>> {
    const remembered = question.fresh ? undefined : this.remembered(key, question);
    if (remembered !== undefined && !isFailure(remembered.lookup.outcome)) return remembered;
    const found = remembered ?? { lookup: await this.look(key, look), servedFrom: 'live' };
    if (!question.allow_stale || !isFailure(found.lookup.outcome)) return found;
    const stale = this.cache.stale(key);
    return stale === undefined ? found : { lookup: stale, servedFrom: 'stale_cache' };
  }

  private remembered(
    key: string,
    { repeat, max_age }: Freshness & { repeat: boolean },
  ): Found<Lookup> | undefined {
    const now = this.clock.now();
    const repeated = repeat ? this.cache.fresh(key, REPEAT_MS, now) : undefined;
    if (repeated !== undefined) return { lookup: repeated, servedFrom: 'repeat' };
    const maxAgeMs = max_age * SECOND_MS;
    const cached = maxAgeMs > 0 ? this.cache.fresh(key, maxAgeMs, now) : undefined;
    const lookup = cached ?? this.cache.failure(key, now);
    return lookup && { lookup, servedFrom: 'cache' };
  }

  private async look(key: string, look: () => Promise<Lookup>): Promise<Lookup> {
    if (this.waiting >= WAITING_MAX) throw new LookupOverloaded();
    this.waiting += 1;
    try {
      const lookup = await look();
      this.cache.put(key, lookup);
      return lookup;
    } finally {
      this.waiting -= 1;
    }
  }
}
