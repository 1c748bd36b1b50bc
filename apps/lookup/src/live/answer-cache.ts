import type { Lookup, Outcome } from '#libs/resolvers';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '#libs/platform';

const FOUND_KEPT_MS = DAY_MS;
const NOT_FOUND_KEPT_MS = 10 * MINUTE_MS;
/** Some source failed: as good as it gets now, to be completed soon. */
const PARTIAL_KEPT_MS = 2 * MINUTE_MS;
const FAILURE_KEPT_MS = { min: 30 * SECOND_MS, max: 120 * SECOND_MS };
const FAILURES_MAX = 20_000;
/** What an entry costs beside its texts: maps, dates, short strings. */
const ENTRY_OVERHEAD_BYTES = 2_000;

export interface AnswerCacheLimits {
  maxEntries: number;
  maxBytes: number;
}

interface Entry {
  lookup: Lookup;
  /** From here on it is only good as a stale answer. */
  freshUntil: number;
  sizeBytes: number;
}

interface Failure {
  lookup: Lookup;
  retryAt: number;
}

const failures: ReadonlySet<Outcome> = new Set([
  'throttled',
  'unreachable',
  'timeout',
  'parse_failed',
]);

/** How a lookup that gave no answer ended. */
export function isFailure(outcome: Outcome): boolean {
  return failures.has(outcome);
}

/**
 * Answers in memory, bounded in entries and bytes, least recently used first out. An answer is
 * fresh for `min(24 h, time to expiry)` when the name is registered, 10 minutes when it is not, 2
 * minutes when a source failed.
 * Failures are kept apart for 30 to 120 s, so that they neither replace an answer nor look like one.
 */
export class AnswerCache {
  private readonly answers = new Map<string, Entry>();
  private readonly failures = new Map<string, Failure>();
  private sizeBytes = 0;

  constructor(private readonly limits: AnswerCacheLimits) {}

  /** Keeps what a lookup found; of an unsupported TLD there is nothing to keep. */
  put(lookup: Lookup): void {
    if (lookup.outcome === 'unsupported') return;
    if (isFailure(lookup.outcome)) return this.putFailure(lookup);
    this.failures.delete(lookup.domain);
    this.remove(lookup.domain);
    const entry = { lookup, freshUntil: freshUntil(lookup), sizeBytes: sizeOf(lookup) };
    this.answers.set(lookup.domain, entry);
    this.sizeBytes += entry.sizeBytes;
    while (this.sizeBytes > this.limits.maxBytes || this.answers.size > this.limits.maxEntries) {
      this.remove(this.answers.keys().next().value!);
    }
  }

  /** An answer no older than `maxAgeMs` and still fresh. */
  fresh(domain: string, maxAgeMs: number, now: Date): Lookup | undefined {
    const entry = this.used(domain);
    if (entry === undefined || now.getTime() >= entry.freshUntil) return undefined;
    return now.getTime() - entry.lookup.fetchedAt.getTime() <= maxAgeMs ? entry.lookup : undefined;
  }

  /** Whatever was last answered, however old. */
  stale(domain: string): Lookup | undefined {
    return this.used(domain)?.lookup;
  }

  /** The failure that is still being waited out, with the time that is left of it. */
  failure(domain: string, now: Date): Lookup | undefined {
    const failure = this.failures.get(domain);
    if (failure === undefined) return undefined;
    const leftMs = failure.retryAt - now.getTime();
    if (leftMs > 0) return { ...failure.lookup, retryAfterSeconds: Math.ceil(leftMs / SECOND_MS) };
    this.failures.delete(domain);
    return undefined;
  }

  get size(): { entries: number; bytes: number } {
    return { entries: this.answers.size, bytes: this.sizeBytes };
  }

  private putFailure(lookup: Lookup): void {
    const askedMs = (lookup.retryAfterSeconds ?? 0) * SECOND_MS;
    const keptMs = Math.min(Math.max(askedMs, FAILURE_KEPT_MS.min), FAILURE_KEPT_MS.max);
    this.failures.delete(lookup.domain);
    // Without what the upstreams sent: a failure's text can be megabytes and answers nothing.
    const bare = { ...lookup, record: undefined, sources: [] };
    this.failures.set(lookup.domain, {
      lookup: bare,
      retryAt: lookup.fetchedAt.getTime() + keptMs,
    });
    if (this.failures.size > FAILURES_MAX) {
      this.failures.delete(this.failures.keys().next().value!);
    }
  }

  private used(domain: string): Entry | undefined {
    const entry = this.answers.get(domain);
    if (entry === undefined) return undefined;
    this.answers.delete(domain);
    this.answers.set(domain, entry);
    return entry;
  }

  private remove(domain: string): void {
    this.sizeBytes -= this.answers.get(domain)?.sizeBytes ?? 0;
    this.answers.delete(domain);
  }
}

function freshUntil({ outcome, record, fetchedAt }: Lookup): number {
  if (outcome === 'not_registered') return fetchedAt.getTime() + NOT_FOUND_KEPT_MS;
  if (outcome === 'partial') return fetchedAt.getTime() + PARTIAL_KEPT_MS;
  const keptMs = fetchedAt.getTime() + FOUND_KEPT_MS;
  const expires = record?.expires && Date.parse(record.expires.iso);
  // A date that cannot be read, or is past, says nothing about tomorrow.
  return expires && expires > fetchedAt.getTime() ? Math.min(keptMs, expires) : keptMs;
}

function sizeOf(lookup: Lookup): number {
  const texts = lookup.sources.reduce((sum, { raw }) => sum + (raw?.length ?? 0), 0);
  const records = JSON.stringify([lookup.record, lookup.sources.map(({ record }) => record)]);
  return ENTRY_OVERHEAD_BYTES + 2 * (texts + records.length);
}
