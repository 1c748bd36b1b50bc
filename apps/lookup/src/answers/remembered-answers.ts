import type { Source } from '#libs/contracts';
import { AccountPlaces, type Clock, MINUTE_MS, SECOND_MS } from '#libs/platform';
import type { LookupConfig } from '../lookup.config.js';
import { AnswerCache, type Findings, isFailure, type KeptKind } from './answer-cache.js';
import type { AnswerCounts } from './answer-counts.js';
import { LookupOverloaded } from './answers.errors.js';
import type { Serving } from '../serializers/provenance-body.js';

/** The maximum age of a cached answer to a request that the gateway marks as a repeat. */
const REPEAT_MS = MINUTE_MS;
/** Maximum number of running lookups of one kind. */
const WAITING_MAX = 2_000;

export interface Freshness {
  /** In seconds; with 0, the cache answers only repeats and recent failures. */
  max_age: number;
  allow_stale: boolean;
  fresh: boolean;
}

interface Asked extends Freshness {
  repeat: boolean;
  isKept?: boolean;
  asker?: string;
}

export interface Found<Lookup> {
  lookup: Lookup;
  serving: Serving;
}

interface Origin<Lookup> {
  lookup: Lookup;
  servedFrom: Source;
}

export interface AnswersParts {
  counts: AnswerCounts;
  clock: Clock;
  config: Pick<LookupConfig, 'cacheEntries' | 'cacheBytes'>;
}

/** Answers questions of one kind: from a fixture, from memory if the question allows it, or from upstream. */
export class RememberedAnswers<Lookup extends Findings> {
  readonly cache: AnswerCache<Lookup>;
  private readonly counts: AnswerCounts;
  private readonly clock: Clock;
  /** Ensures that an account with many lookups at slow registries leaves places for others. */
  private readonly places = new AccountPlaces(WAITING_MAX);

  /** @param share the cache of this kind has 1/`share` of the configured size. */
  constructor(kind: KeptKind<Lookup>, share: number, { counts, clock, config }: AnswersParts) {
    this.counts = counts;
    this.clock = clock;
    this.cache = new AnswerCache(kind, {
      maxEntries: Math.floor(config.cacheEntries / share),
      maxBytes: Math.floor(config.cacheBytes / share),
    });
  }

  /**
   * Answers a question. @param question `repeat`: the gateway charged the same question less than a minute ago;
   * `isKept` and `asker`: as in `Asking`.
   * @param look performs the lookup; called at most once.
   * @param fixture the answer of a fixture.
   * @throws LookupOverloaded; the errors of `look`.
   */
  async find(
    key: string,
    question: Asked,
    look: () => Promise<Lookup>,
    fixture?: Lookup,
  ): Promise<Found<Lookup>> {
    const { lookup, servedFrom } = fixture
      ? { lookup: fixture, servedFrom: 'fixture' as const }
      : await this.findOrLook(key, question, look);
    this.counts.note(lookup.outcome, servedFrom);
    const ageMs = this.clock.now().getTime() - lookup.fetchedAt.getTime();
    const ageSeconds = Math.max(0, Math.floor(ageMs / SECOND_MS));
    return { lookup, serving: { servedFrom, ageSeconds } };
  }

  private async findOrLook(
    key: string,
    question: Asked,
    look: () => Promise<Lookup>,
  ): Promise<Origin<Lookup>> {
    const remembered = question.fresh ? undefined : this.remembered(key, question);
    if (remembered !== undefined && !isFailure(remembered.lookup.outcome)) return remembered;
    const found: Origin<Lookup> = remembered ?? {
      lookup: await this.look(key, look, question),
      servedFrom: 'live',
    };
    if (!question.allow_stale || !isFailure(found.lookup.outcome)) return found;
    const stale = this.cache.stale(key);
    return stale === undefined ? found : { lookup: stale, servedFrom: 'stale_cache' };
  }

  private remembered(key: string, { repeat, max_age }: Asked): Origin<Lookup> | undefined {
    const now = this.clock.now();
    const repeated = repeat ? this.cache.fresh(key, REPEAT_MS, now) : undefined;
    if (repeated !== undefined) return { lookup: repeated, servedFrom: 'repeat' };
    const maxAgeMs = max_age * SECOND_MS;
    const cached = maxAgeMs > 0 ? this.cache.fresh(key, maxAgeMs, now) : undefined;
    const lookup = cached ?? this.cache.failure(key, now);
    return lookup && { lookup, servedFrom: 'cache' };
  }

  /** Returns a failure with a wait after which a retry is not answered with the same failure. */
  private withWholeWait(key: string, failed: Lookup): Lookup {
    const { retryAfterSeconds: kept = 0 } = this.cache.failure(key, this.clock.now()) ?? {};
    return (failed.retryAfterSeconds ?? 0) >= kept
      ? failed
      : { ...failed, retryAfterSeconds: kept };
  }

  private async look(
    key: string,
    look: () => Promise<Lookup>,
    { isKept = true, asker = '' }: Asked,
  ): Promise<Lookup> {
    if (!this.places.take(asker)) throw new LookupOverloaded();
    try {
      const lookup = await look();
      const hasFailed = isFailure(lookup.outcome);
      if (isKept || hasFailed) this.cache.put(key, lookup);
      return hasFailed ? this.withWholeWait(key, lookup) : lookup;
    } finally {
      this.places.leave(asker);
    }
  }
}
