import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import { isSeenHost } from '../dns/seen-hosts.js';
import type { Key } from '../names/domain-key.js';
import {
  type CountedRow,
  type CountedRows,
  countedPage,
  countedRows,
} from '../searches/counted-pages.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import type { SearchPattern } from '../searches/search-pattern.js';

/** Generated names, hosts and appearances, each of which is searched for exactly. */
export interface SoughtNames {
  names: readonly { key: Key; name: string }[];
  /** Hosts that, together with the names above them, look like the given name. */
  hosts: readonly { key: Key; name: string; host: string }[];
  skeletons: readonly string[];
}

/** A search for labels that contain a text, or letters that look like the text. */
export interface SoughtText {
  pattern: SearchPattern;
  /** A LIKE pattern; null for none. */
  skeleton: string | null;
}

export interface TyposAsked {
  sought: SoughtNames | SoughtText;
  length?: { min: number; max: number };
  /** The suffixes to search; empty for all. */
  suffixes: readonly string[];
  firstSeenSince: Date | null;
  excluded: readonly string[];
  sourceIds: readonly number[];
}

export interface TypoRow {
  key: Key;
  name: string;
  label: string;
  unicode: string | null;
  skeleton: string | null;
  /** The host below the name, if host and name together look similar. */
  host: string | null;
  firstAt: Date;
  sourceId: number;
}

const FOUND = `d.domain_key, d.name, d.label, d.unicode, d.skeleton, d.first_seen, d.source_id,
  d.dropped_at`;
const SELECT = `select d.domain_key as key, d.name, d.label, d.unicode, d.skeleton, d.host,
  d.first_seen as "firstAt", d.source_id as "sourceId"`;

@Injectable()
export class TyposRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Lists all registered names among those sought, ordered by key, up to a limit. */
  async listSought(asked: TyposAsked, sought: SoughtNames, limit: number): Promise<TypoRow[]> {
    const values = new Values();
    const rows = await this.database.query<TypoRow>(
      `${SELECT} from (${ofNames(sought, asked, values)}) d where ${wanted(asked, values)}
       order by d.domain_key, d.name, d.host nulls first limit ${values.add(limit)}`,
      values.all,
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

  /** Counts names with a text, and reads a page of them as `list` does. */
  async find(
    asked: TyposAsked,
    sought: SoughtText,
    { limit, offset, after }: PagePlace,
  ): Promise<CountedRows<TypoRow>> {
    const values = new Values();
    const query = `${SELECT} ${ofText(sought, asked, values)}`;
    const sql = countedPage(query, {
      after: after ? `(key, name) > (${values.add(after[0])}, ${values.add(after[1])})` : 'true',
      order: 'key, name',
      limitClause: `limit ${values.add(limit)} offset ${values.add(offset)}`,
    });
    return countedRows(await this.database.query<CountedRow<TypoRow>>(sql, values.all));
  }

  async list(
    asked: TyposAsked,
    sought: SoughtText,
    { limit, offset, after }: PagePlace,
  ): Promise<TypoRow[]> {
    const values = new Values();
    const behind = after
      ? `and (d.domain_key, d.name) > (${values.add(after[0])}, ${values.add(after[1])})`
      : '';
    return this.database.query(
      `${SELECT} ${ofText(sought, asked, values)} ${behind}
       order by d.domain_key, d.name limit ${values.add(limit)} offset ${values.add(offset)}`,
      values.all,
    );
  }
}

/** The parameters of a statement, in the order of their numbers. */
class Values {
  readonly all: unknown[] = [];

  /** Adds a parameter. @returns the placeholder in the statement, such as `$3`. */
  add(value: unknown): string {
    return `$${this.all.push(value)}`;
  }
}

/**
 * Returns SQL that finds names by their keys alone, in one pass over the index; other names may have the same keys. The
 * subselect hides the keys from the planner, which would otherwise estimate the rows of each key.
 */
function ofNames({ names, hosts, skeletons }: SoughtNames, asked: TyposAsked, values: Values) {
  const [key, name, host] = columnsOf(hosts, 'key', 'name', 'host').map((column) =>
    values.add(column),
  );
  return `
    select ${FOUND}, null::text as host from domain d
    where d.domain_key = any((select ${values.add(names.map((one) => one.key))}::bigint[])::bigint[])
    union all
    select ${FOUND}, null from domain d where d.skeleton = any(${values.add(skeletons)}::text[])
    union all
    select ${FOUND}, h.host
    from unnest(${key}::bigint[], ${name}::text[], ${host}::text[]) as q (domain_key, name, host)
    join host h on h.domain_key = q.domain_key and h.name = q.name and h.host = q.host
      and exists (select from host_sighting s
        where s.domain_key = h.domain_key and s.name = h.name and s.host = h.host and ${isSeenHost('s')}
          and coalesce(s.source_id, h.source_id) = any(${values.add(asked.sourceIds)}::smallint[]))
    join domain d on d.domain_key = q.domain_key and d.name = q.name`;
}

/**
 * Returns SQL that finds labels with LIKE, because the planner can estimate how many labels match a pattern. For other
 * expressions, it would assume few.
 */
function ofText({ pattern, skeleton }: SoughtText, asked: TyposAsked, values: Values): string {
  const exact = values.add(pattern.exact);
  const isLike = `(d.label like ${values.add(pattern.loose)}
    and case when d.unicode is null then d.label like ${exact} else d.unicode like ${exact} end)`;
  const found =
    skeleton === null ? isLike : `(${isLike} or d.skeleton like ${values.add(skeleton)})`;
  return `from (select ${FOUND}, null::text as host from domain d where ${found}) d
    where ${wanted(asked, values)}`;
}

/**
 * Returns only the conditions that the request needs, because the planner would assume that a condition that always
 * holds excludes most rows.
 */
function wanted(asked: TyposAsked, values: Values): string {
  const { sourceIds, length, suffixes, firstSeenSince, excluded } = asked;
  const endings = suffixes.map((suffix) => `%.${suffix}`);
  return [
    `d.dropped_at is null and d.source_id = any(${values.add(sourceIds)}::smallint[])`,
    ...(length
      ? [
          `char_length(coalesce(d.unicode, d.label)) between ${values.add(length.min)} and ${values.add(length.max)}`,
        ]
      : []),
    ...(endings.length > 0 ? [`d.name like any (${values.add(endings)}::text[])`] : []),
    ...(firstSeenSince ? [`d.first_seen >= ${values.add(firstSeenSince)}::timestamptz`] : []),
    ...(excluded.length > 0 ? [`d.name <> all (${values.add(excluded)}::text[])`] : []),
  ].join(' and ');
}
