import type { Outcome } from '#libs/contracts';
import { MINUTE_MS, SECOND_MS } from '#libs/platform';
import { NOT_ASKED } from '#libs/resolvers';

const FAILURE_KEPT_MS = { min: 30 * SECOND_MS, max: 120 * SECOND_MS };
const FAILURES_MAX = 20_000;

export interface AnswerCacheLimits {
  maxEntries: number;
  maxBytes: number;
}

export interface Findings {
  outcome: Outcome;
  fetchedAt: Date;
  retryAfterSeconds?: number;
}

export interface KeptKind<Lookup extends Findings> {
  /** Returns the number of milliseconds for which an answer is fresh, counted from the time of the lookup. */
  freshForMs(lookup: Lookup): number;
  sizeBytes(lookup: Lookup): number;
  /** Whether a failure is cached. A failure before any query was sent says nothing about the question. */
  isFailureKept(failure: Lookup): boolean;
  /** Returns the failure without the answers of upstreams, which can be megabytes and have no further use. */
  bare(failure: Lookup): Lookup;
}

interface Entry<Lookup> {
  lookup: Lookup;
  /** After this time, the answer is served only as a stale one. */
  freshUntil: number;
  sizeBytes: number;
}

interface Failure<Lookup> {
  lookup: Lookup;
  retryAt: number;
}

const FAILURES: ReadonlySet<Outcome> = new Set([
  'throttled',
  'unreachable',
  'timeout',
  'parse_failed',
]);

/** The freshness of an answer that lacks a part. */
export const PARTIAL_KEPT_MS = 2 * MINUTE_MS;

/**
 * Whether a failure says something about the question. A failure because of our own limits does not, because they may
 * concern only one account, and neither does one because the request ran out of time.
 */
export const saysSomething = ({ sources }: { sources: readonly { error?: string }[] }) =>
  sources.length === 0 ||
  sources.some(({ error = '' }) => error !== 'cancelled' && !NOT_ASKED.has(error));

export function isFailure(outcome: Outcome): boolean {
  return FAILURES.has(outcome);
}

/**
 * Caches answers by request, up to a maximum number of entries and bytes; the least recently used answer is evicted
 * first. Failures are kept separately for 30 to 120 s, so that they neither replace an answer nor look like one.
 */
export class AnswerCache<Lookup extends Findings> {
  private readonly answers = new Map<string, Entry<Lookup>>();
  private readonly failures = new Map<string, Failure<Lookup>>();
  private sizeBytes = 0;

  constructor(
    private readonly kind: KeptKind<Lookup>,
    private readonly limits: AnswerCacheLimits,
  ) {}

  /**
   * Stores the result of a lookup, unless it is `unsupported` or a failure that is not kept. A partial answer does not
   * replace a whole one that is still fresh.
   */
  put(key: string, lookup: Lookup): void {
    if (lookup.outcome === 'unsupported') return;
    if (isFailure(lookup.outcome)) {
      if (this.kind.isFailureKept(lookup)) this.putFailure(key, lookup);
      return;
    }
    this.failures.delete(key);
    const now = lookup.fetchedAt.getTime();
    const known = this.answers.get(key);
    const isWhole = known?.lookup.outcome === 'delivered' && now < known.freshUntil;
    if (lookup.outcome === 'partial' && isWhole) return;
    this.remove(key);
    const entry = {
      lookup,
      freshUntil: now + this.kind.freshForMs(lookup),
      sizeBytes: this.kind.sizeBytes(lookup),
    };
    this.answers.set(key, entry);
    this.sizeBytes += entry.sizeBytes;
    while (this.sizeBytes > this.limits.maxBytes || this.answers.size > this.limits.maxEntries) {
      this.remove(this.answers.keys().next().value!);
    }
  }

  /**
   * Returns an answer that is still fresh and no older than `maxAgeMs`; undefined if there is none.
   */
  fresh(key: string, maxAgeMs: number, now: Date): Lookup | undefined {
    const entry = this.used(key);
    if (entry === undefined || now.getTime() >= entry.freshUntil) return undefined;
    return now.getTime() - entry.lookup.fetchedAt.getTime() <= maxAgeMs ? entry.lookup : undefined;
  }

  /** Returns the last answer, if it is still stored, regardless of its age. */
  stale(key: string): Lookup | undefined {
    return this.used(key)?.lookup;
  }

  /** Returns the last failure with the remaining wait; undefined once the wait is over. */
  failure(key: string, now: Date): Lookup | undefined {
    const failure = this.failures.get(key);
    if (failure === undefined) return undefined;
    const leftMs = failure.retryAt - now.getTime();
    if (leftMs > 0) return { ...failure.lookup, retryAfterSeconds: Math.ceil(leftMs / SECOND_MS) };
    this.failures.delete(key);
    return undefined;
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.answers.size, bytes: this.sizeBytes };
  }

  private putFailure(key: string, lookup: Lookup): void {
    const askedMs = (lookup.retryAfterSeconds ?? 0) * SECOND_MS;
    const keptMs = Math.min(Math.max(askedMs, FAILURE_KEPT_MS.min), FAILURE_KEPT_MS.max);
    this.failures.delete(key);
    this.failures.set(key, {
      lookup: this.kind.bare(lookup),
      retryAt: lookup.fetchedAt.getTime() + keptMs,
    });
    if (this.failures.size > FAILURES_MAX) {
      this.failures.delete(this.failures.keys().next().value!);
    }
  }

  private used(key: string): Entry<Lookup> | undefined {
    const entry = this.answers.get(key);
    if (entry === undefined) return undefined;
    this.answers.delete(key);
    this.answers.set(key, entry);
    return entry;
  }

  private remove(key: string): void {
    this.sizeBytes -= this.answers.get(key)?.sizeBytes ?? 0;
    this.answers.delete(key);
  }
}
