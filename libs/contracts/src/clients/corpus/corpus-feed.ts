import type { NameRecordType } from '../../operations/dns/dns-answer.js';

/** Changes of one page at most. */
export const CHANGES_MAX = 5_000;
/** Names of one question for the freshest answers at most. */
export const FRESHEST_NAMES_MAX = 1_000;
/** Names of one question for names to look up at most. */
export const NEXT_NAMES_MAX = 5_000;

/** A source of the corpus, and what may be done with its data. */
export interface CorpusSource {
  id: number;
  name: string;
  isShown: boolean;
  isSold: boolean;
  isLookedUp: boolean;
  isGenerated: boolean;
}

/** One change of a name: new, changed or dropped. */
export interface CorpusChange {
  /** UUIDv7; the same in a repeat. */
  id: string;
  /** A 64-bit number in decimal, by which names are spread and ordered. */
  key: string;
  name: string;
  /** The name for people to read. */
  unicode: string;
  kind: 'new' | 'changed' | 'dropped';
  /** The subject of the change: the name's existence, its registration, or its records. */
  subject: 'name' | 'whois' | 'dns';
  /** Members of the record that differ, such as `registrant_contact`; types of records, such as `NS`. */
  members: string[];
  /** The first record that is known of a name, or its first records. */
  isFirst: boolean;
  sourceId: number;
  observedAt: string;
}

/** Where to start reading changes: behind a cursor, at a time of recording, or (with neither) now. */
export interface ChangesAsked {
  cursor?: string;
  /** RFC 3339. */
  since?: string;
  /** 1 to 5,000; 1,000 without it. */
  limit?: number;
}

/** A page of changes. Each is in one page exactly, unless `isRepeated` is said. */
export interface CorpusChanges {
  changes: CorpusChange[];
  /** All sources that changes may come from. */
  sources: CorpusSource[];
  /** Keep it together with what was made of the page. */
  cursor: string;
  /** There are more changes: call again at once. */
  hasMore: boolean;
  /** The server has another history than the cursor: changes of the last hour may come again, under their ids. */
  isRepeated: boolean;
}

/** The datasets from which files are made. Daily ones are asked for with a day. */
export const DATASETS = [
  'names',
  'newly',
  'dropped',
  'whois',
  'newly_whois',
  'updated_whois',
  'whois_cleaned',
  'newly_whois_cleaned',
  'updated_whois_cleaned',
  'dns',
  'newly_dns',
  'updated_dns',
] as const;
export type Dataset = (typeof DATASETS)[number];

/** Names with keys from the first to the last, both included; all without them. */
export interface KeyRange {
  fromKey?: string;
  toKey?: string;
}

export interface DatasetAsked extends KeyRange {
  dataset: Dataset;
  /** `YYYY-MM-DD` in UTC, of a daily dataset: when changes were noted. */
  day?: string;
}

/** One name of a dataset. */
export interface DatasetRow {
  key: string;
  name: string;
  unicode: string;
  sourceId: number;
  /** When the data of the row was observed last; for a name, when it was first seen or dropped. */
  observedAt: string;
  /** Only in WHOIS datasets: the published record, in the words of the public answer. */
  record?: Record<string, unknown>;
  /** Only in DNS datasets: the name's present records. */
  records?: { type: string; value: string; firstSeen: string }[];
  /**
   * Keyed hashes of the name and of the values of people in its record, `HASH_DIGITS` each, one behind the other: they
   * tell whether a value that is suppressed later stands in the row. Absent while there is no list of suppressed values.
   */
  hashes?: string;
}

/** The last line of a dataset. */
export interface DatasetEnd {
  isLast: true;
  rows: number;
  /** The version of the suppressed values that no row holds, as `versionFor` counts it. */
  suppressionVersion: number;
}

/** Finds out which names have a sufficiently fresh answer. */
export interface FreshestAsked {
  kind: 'whois' | 'dns';
  /** Up to 1,000. */
  names: readonly string[];
  /** Only for `dns`: all of these must be fresh. */
  types?: readonly NameRecordType[];
  maxAgeSeconds: number;
}

/** The freshest answer about one name. */
export interface FreshAnswer {
  /** Place among the names asked about, from 0. */
  index: number;
  name: string;
  sourceId: number;
  observedAt: string;
  /** Only for `whois`. */
  record?: Record<string, unknown>;
  /** Only for `dns`. */
  records?: { type: string; value: string }[];
}

/** The names to look up next. */
export interface NextNamesAsked extends KeyRange {
  kind: 'whois' | 'dns';
  /** Names that nobody has looked up since so many seconds. */
  olderThanSeconds: number;
  /** The end of the page before. */
  after?: { key: string; name: string };
  /** Names that are looked through, 1 to 5,000. */
  limit?: number;
}

export interface NextNames {
  names: { key: string; name: string }[];
  /** Ask again behind it; null at the end of the range. */
  after: { key: string; name: string } | null;
}

/** The names and values that must not be shown or kept any more. */
export interface SuppressionAsked {
  kind: 'domain' | 'email' | 'name' | 'phone';
  value: string;
}

/** The maximum number of names per call. */
export const SUPPRESSED_NAMES_MAX = 1_000;

export interface SuppressionVersion {
  /** 0 while nothing is suppressed; it only rises. */
  version: number;
  /** The version of the newest domain among what is suppressed; 0 without any. */
  domains: number;
}

/** Hexadecimal digits of a hash in `hashes`. */
export const HASH_DIGITS = 16;

export interface SuppressedHashesAsked {
  dataset: Dataset;
  /** A version, as `versionFor` counts it. */
  after: number;
}

/** Values that were suppressed behind a version, up to 10,000 of the oldest. */
export interface SuppressedHashes {
  hashes: string[];
  /** The version that they lead to; the one that was asked about when there are none. */
  version: number;
}

/** The version that counts for a dataset: rows without records of WHOIS hold nothing of people. */
export function versionFor(dataset: Dataset, { version, domains }: SuppressionVersion): number {
  return dataset.includes('whois') ? version : domains;
}

const KEYS = 2n ** 64n;
const FIRST_KEY = -(2n ** 63n);

/** The keys of all names in `count` ranges of the same width. */
export function keyRanges(count: number): Required<KeyRange>[] {
  const width = KEYS / BigInt(count);
  return Array.from({ length: count }, (_, place) => {
    const from = FIRST_KEY + BigInt(place) * width;
    const to = place === count - 1 ? FIRST_KEY + KEYS - 1n : from + width - 1n;
    return { fromKey: String(from), toKey: String(to) };
  });
}
