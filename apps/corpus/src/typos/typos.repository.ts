import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import { ALL_KEYS, type Key } from '../names/domain-key.js';
import { countOf } from '../searches/counted.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { SearchPattern } from '../searches/search-pattern.js';

/** Generated names, each looked for as such. */
export interface SoughtNames {
  names: readonly { key: Key; name: string }[];
  /** Hosts below names that together look like what is asked about. */
  hosts: readonly { key: Key; name: string; host: string }[];
  /** The look of internationalised labels. */
  skeletons: readonly string[];
}

/** Labels with a text, or with letters that look like it. */
export interface SoughtText {
  pattern: SearchPattern;
  /** A LIKE pattern; null for none. */
  skeleton: string | null;
}

export interface TyposAsked {
  sought: SoughtNames | SoughtText;
  lengthMin: number;
  lengthMax: number;
  /** Empty for every suffix. */
  suffixes: readonly string[];
  firstSeenSince: Date | null;
  excluded: readonly string[];
  sourceIds: readonly number[];
}

/** A registered name that was found. */
export interface TypoRow {
  key: Key;
  name: string;
  label: string;
  unicode: string | null;
  skeleton: string | null;
  /** Below the name, where that is what looks alike. */
  host: string | null;
  firstAt: Date;
  sourceId: number;
}

const FOUND = `d.domain_key, d.name, d.label, d.unicode, d.skeleton, d.first_seen, d.source_id,
  d.dropped_at`;
const SELECT = `select d.domain_key as key, d.name, d.label, d.unicode, d.skeleton, d.host,
  d.first_seen as "firstAt", d.source_id as "sourceId"`;

/** Finds names by their keys alone, which another name may share; in one run along the index. */
const OF_NAMES = `
  select ${FOUND}, null::text as host from domain d where d.domain_key = any($7::bigint[])
  union all
  select ${FOUND}, null from domain d where d.skeleton = any($8::text[])
  union all
  select ${FOUND}, h.host
  from unnest($9::bigint[], $10::text[], $11::text[]) as q (domain_key, name, host)
  join host h on h.domain_key = q.domain_key and h.name = q.name and h.host = q.host
    and h.source_id = any($1::smallint[])
  join domain d on d.domain_key = q.domain_key and d.name = q.name`;

const OF_TEXT = `
  select ${FOUND}, null::text as host from domain d
  where (d.label like $7 and coalesce(d.unicode, d.label) like $8) or d.skeleton like $9`;

/** Registered names, by names and texts that they look like. */
@Injectable()
export class TyposRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** All names that were sought literally, ordered by key, up to a limit. */
  async listSought(asked: TyposAsked, sought: SoughtNames, limit: number): Promise<TypoRow[]> {
    const values = valuesOf(asked);
    const rows = await this.database.query<TypoRow>(
      `${SELECT} ${foundBy(asked)} order by d.domain_key, d.name, d.host nulls first
       limit $${values.length + 1}`,
      [...values, limit],
    );
    const names = new Set(sought.names.map(({ name }) => name));
    const skeletons = new Set(sought.skeletons);
    const found = new Map<string, TypoRow>();
    for (const row of rows) {
      const isSought = row.host !== null || names.has(row.name) || skeletons.has(row.skeleton!);
      if (isSought && !found.has(row.name)) found.set(row.name, row);
    }
    return [...found.values()];
  }

  /** Names with a text, in the order of keys. @param after key and name before the page. */
  async list(asked: TyposAsked, { limit, offset, after }: PagePlace): Promise<TypoRow[]> {
    const [key, name] = after ?? [ALL_KEYS.fromKey, ''];
    const values = valuesOf(asked);
    const at = values.length;
    return this.database.query(
      `${SELECT} ${foundBy(asked)} and (d.domain_key, d.name) > ($${at + 1}, $${at + 2})
       order by d.domain_key, d.name limit $${at + 3} offset $${at + 4}`,
      [...values, key, name, limit, offset],
    );
  }

  async count(asked: TyposAsked): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(
      countOf(`select 1 ${foundBy(asked)}`),
      valuesOf(asked),
    );
    return row.records;
  }
}

function foundBy({ sought }: TyposAsked): string {
  return `from (${'names' in sought ? OF_NAMES : OF_TEXT}) d
    where d.dropped_at is null and d.source_id = any($1::smallint[])
      and char_length(coalesce(d.unicode, d.label)) between $2 and $3
      and (cardinality($4::text[]) = 0 or d.name like any ($4::text[]))
      and ($5::timestamptz is null or d.first_seen >= $5)
      and d.name <> all ($6::text[])`;
}

function valuesOf(asked: TyposAsked): unknown[] {
  const { sought, sourceIds, lengthMin, lengthMax, suffixes, firstSeenSince, excluded } = asked;
  const endings = suffixes.map((suffix) => `%.${suffix}`);
  const common = [sourceIds, lengthMin, lengthMax, endings, firstSeenSince, excluded];
  if (!('names' in sought)) {
    return [...common, sought.pattern.loose, sought.pattern.exact, sought.skeleton];
  }
  return [
    ...common,
    sought.names.map(({ key }) => key),
    sought.skeletons,
    ...columnsOf(sought.hosts, 'key', 'name', 'host'),
  ];
}
