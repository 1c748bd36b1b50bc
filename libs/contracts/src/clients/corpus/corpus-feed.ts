import type { Dataset } from '../../catalogue/datasets.js';
import type { NameRecordType } from '../../operations/dns/dns-answer.js';

export const CHANGES_MAX = 5_000;
export const FRESHEST_NAMES_MAX = 1_000;
export const NEXT_NAMES_MAX = 5_000;

export interface CorpusSource {
  id: number;
  name: string;
  isShown: boolean;
  isSold: boolean;
  isLookedUp: boolean;
  isGenerated: boolean;
}

export interface CorpusChange {
  /** UUIDv7; a repeated change has the same id. */
  id: string;
  /** A 64-bit number in decimal that determines how names are distributed and ordered. */
  key: string;
  name: string;
  unicode: string;
  kind: 'new' | 'changed' | 'dropped';
  /** What changed: the name's existence, its registration, or its records. */
  subject: 'name' | 'whois' | 'dns';
  /**
   * The members of the registration that differ, such as `registrant_contact`, or the types of DNS records that differ,
   * such as `NS`.
   */
  members: string[];
  /** True if this is the first known record of the name, or its first DNS records. */
  isFirst: boolean;
  /** True if sources whose data may not be shown reported the change before. */
  isShownFirst?: boolean;
  sourceId: number;
  observedAt: string;
}

/** The position at which reading starts: after a cursor, at a time of recording, or (with neither) now. */
export interface ChangesAsked {
  cursor?: string;
  /** RFC 3339. */
  since?: string;
  /** 1 to 5,000; by default, 1,000. */
  limit?: number;
}

/** A page of changes. Each change is in exactly one page, unless `isRepeated` is set. */
export interface CorpusChanges {
  changes: CorpusChange[];
  sources: CorpusSource[];
  /** The cursor of the next page. Store it together with the results of this page. */
  cursor: string;
  /** True if there are more changes: call again at once. */
  hasMore: boolean;
  /**
   * True if the server's history is not the one from which the cursor was made: changes of the last hour may be
   * repeated, with the same ids.
   */
  isRepeated: boolean;
}

/** Names with keys from the first to the last, inclusive; all names by default. */
export interface KeyRange {
  fromKey?: string;
  toKey?: string;
}

export interface DatasetAsked extends KeyRange {
  dataset: Dataset;
  /** `YYYY-MM-DD` in UTC, for a daily dataset: the day on which changes were recorded. */
  day?: string;
}

export interface DatasetRow {
  key: string;
  name: string;
  unicode: string;
  sourceId: number;
  /** When the data of the row was last observed; for a name, when it was first seen or dropped. */
  observedAt: string;
  /** Only in WHOIS datasets: the published record, with the members of the public answer. */
  record?: Record<string, unknown>;
  /** Only in DNS datasets: the name's current records. */
  records?: { type: string; value: string; firstSeen: string }[];
  /**
   * Keyed hashes of the name and of the personal values in its record, `HASH_DIGITS` each, concatenated: they show
   * whether the row contains a value that is suppressed later. Absent while there is no list of suppressed values.
   */
  hashes?: string;
}

export interface DatasetEnd {
  isLast: true;
  rows: number;
  /** The version of the suppressions that were applied to all rows, as counted by `versionFor`. */
  suppressionVersion: number;
}

export interface FreshestAsked {
  kind: 'whois' | 'dns';
  /** Up to 1,000. */
  names: readonly string[];
  /** Only for `dns`: the record types whose answers must all be fresh. */
  types?: readonly NameRecordType[];
  maxAgeSeconds: number;
}

export interface FreshAnswer {
  /** The index in the list of requested names, from 0. */
  index: number;
  name: string;
  sourceId: number;
  observedAt: string;
  /** Only for `whois`. */
  record?: Record<string, unknown>;
  /** Only for `dns`. */
  records?: { type: string; value: string }[];
}

export interface NextNamesAsked extends KeyRange {
  /** `host` asks for hosts below names. */
  kind: 'whois' | 'dns' | 'host';
  /** Selects names that have not been looked up for this many seconds. */
  olderThanSeconds: number;
  after?: { key: string; name: string };
  /** Number of names to check, 1 to 5,000; by default, 1,000. */
  limit?: number;
}

export interface NextNames {
  names: { key: string; name: string }[];
  /** The cursor from which the next call continues; null at the end of the range. */
  after: { key: string; name: string } | null;
}

/** A name or value that must no longer be shown or kept. */
export interface SuppressionAsked {
  kind: 'domain' | 'email' | 'name' | 'phone';
  value: string;
}

export const SUPPRESSED_NAMES_MAX = 1_000;

export interface SuppressionVersion {
  /** The version of the whole list: 0 while nothing is suppressed; it never decreases. */
  version: number;
  /** The version of the newest suppressed domain; 0 if there is none. */
  domains: number;
}

export const HASH_DIGITS = 16;

export interface SuppressedHashesAsked {
  dataset: Dataset;
  /** A version, as counted by `versionFor`. */
  after: number;
}

/** Values suppressed after a version, up to 10,000, oldest first. */
export interface SuppressedHashes {
  hashes: string[];
  /** The version up to which the values are complete; the requested version if there are none. */
  version: number;
}

/**
 * Returns the version that applies to a dataset. Rows without WHOIS records contain no personal data, so only
 * suppressed domains affect them.
 */
export function versionFor(dataset: Dataset, { version, domains }: SuppressionVersion): number {
  return dataset.includes('whois') ? version : domains;
}

const KEYS = 2n ** 64n;
const FIRST_KEY = -(2n ** 63n);

/** Splits the keys of all names into `count` ranges of equal width; the last range also contains the remainder. */
export function keyRanges(count: number): Required<KeyRange>[] {
  const width = KEYS / BigInt(count);
  return Array.from({ length: count }, (_, place) => {
    const from = FIRST_KEY + BigInt(place) * width;
    const to = place === count - 1 ? FIRST_KEY + KEYS - 1n : from + width - 1n;
    return { fromKey: String(from), toKey: String(to) };
  });
}
