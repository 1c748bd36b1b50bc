import { DAY_MS, MINUTE_MS } from '#libs/platform';
import type { Lookup } from '#libs/resolvers';
import { type KeptKind, PARTIAL_KEPT_MS, saysSomething } from '../answers/answer-cache.js';

const FOUND_KEPT_MS = DAY_MS;
const NOT_FOUND_KEPT_MS = 10 * MINUTE_MS;
/** The memory that an entry needs in addition to its texts: maps, dates, short strings. */
const ENTRY_OVERHEAD_BYTES = 2_000;

/**
 * How domain registrations are cached: they are fresh for `min(24 h, time to expiry)` if the name is registered, for 10
 * minutes if it is not, and for 2 minutes if a source failed.
 */
export const KEPT_DOMAIN: KeptKind<Lookup> = {
  freshForMs({ outcome, record, fetchedAt }) {
    if (outcome === 'not_registered') return NOT_FOUND_KEPT_MS;
    if (outcome === 'partial') return PARTIAL_KEPT_MS;
    const leftMs = record?.expires ? Date.parse(record.expires.iso) - fetchedAt.getTime() : NaN;
    // An expiry date that cannot be parsed or is in the past does not shorten the time.
    return leftMs > 0 ? Math.min(FOUND_KEPT_MS, leftMs) : FOUND_KEPT_MS;
  },
  sizeBytes({ record, sources }) {
    const texts = sources.reduce((sum, { raw }) => sum + (raw?.length ?? 0), 0);
    const records = JSON.stringify([record, sources.map((source) => source.record)]);
    return ENTRY_OVERHEAD_BYTES + 2 * (texts + records.length);
  },
  isFailureKept: saysSomething,
  bare: (failure) => ({ ...failure, record: undefined, sources: [] }),
};
