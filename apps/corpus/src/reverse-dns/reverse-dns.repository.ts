import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import { isSeenBy, lastSeen } from '../dns/shown-spans.js';
import { ALL_KEYS, type Key } from '../names/domain-key.js';
import {
  COUNTED_MAX,
  type CountedRow,
  type CountedRows,
  countedPage,
  countedRows,
} from '../searches/counted-pages.js';
import type { PagePlace } from '../searches/search-answer.js';
import type { TextsSought } from './texts-sought.js';
import { SearchDatabase } from '../searches/search-database.js';

/** The addresses, hosts or texts that a search looks for. */
export type RecordsSought =
  /** Addresses from the first to the last one, as `inet`. */
  | { first: string; last: string }
  /** Hosts, by the keys of the records that point to them. */
  | { valueKeys: readonly Key[] }
  /** Texts, regardless of case. */
  | TextsSought;

export interface RecordsAsked {
  rtype: number;
  sought: RecordsSought;
  /** True for a search of current records only; passive ones must have been observed since `passiveSince`. */
  isCurrent: boolean;
  passiveSince: Date;
  sourceIds: readonly number[];
}

export interface FoundRecord {
  key: Key;
  name: string;
  /** In a search for addresses, the address; otherwise empty. */
  place: string;
  value: string;
  firstAt: Date;
}

const TEXT = 16;

@Injectable()
export class ReverseDnsRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Counts records, and reads a page of them as `list` does. */
  async find(
    asked: RecordsAsked,
    { limit, offset, after }: PagePlace,
  ): Promise<CountedRows<FoundRecord>> {
    const { first, type } = formOf(asked);
    const values = valuesOf(asked);
    const at = values.length;
    const sql = countedPage(foundSql(asked), {
      after: `(target, key, name) > ($${at + 1}::${type}, $${at + 2}::bigint, $${at + 3}::text)`,
      order: 'target, key, name',
      limitClause: `limit $${at + 4} offset $${at + 5}`,
    });
    const rows = await this.database.query<CountedRow<FoundRecord>>(sql, [
      ...values,
      ...(after ?? first),
      limit,
      offset,
    ]);
    return countedRows(rows);
  }

  /**
   * Lists records ordered by address, then by key. Each name is listed once or, in a search for addresses, once per
   * address.
   */
  async list(asked: RecordsAsked, { limit, offset, after }: PagePlace): Promise<FoundRecord[]> {
    const { target, first, type } = formOf(asked);
    const values = valuesOf(asked);
    const at = values.length;
    const isAfter = `(${target}, t.domain_key, t.name) > ($${at + 1}::${type}, $${at + 2}::bigint, $${at + 3}::text)`;
    return this.database.query(
      `${foundSql(asked, `and ${isAfter}`)}
       order by target, key, name limit $${at + 4} offset $${at + 5}`,
      [...values, ...(after ?? first), limit, offset],
    );
  }

  /**
   * Returns when one of the sources last saw each record at the name or a host below it; null if none of their
   * sightings is known.
   */
  async lastSightings(
    records: readonly FoundRecord[],
    { rtype, sourceIds }: RecordsAsked,
  ): Promise<(Date | null)[]> {
    const rows = await this.database.query<{ place: string; at: Date | null }>(
      `select q.place, (select max(${lastSeen('t', '$5')}) from dns_span t
         where t.domain_key = d.domain_key and t.name = d.name and t.rtype = $4
           and t.value = q.value and ${isSeenBy('t', '$5')}) as at
       from unnest($1::bigint[], $2::text[], $3::text[])
         with ordinality as q (domain_key, name, value, place)
       join domain d on d.domain_key = q.domain_key and d.name = q.name`,
      [...columnsOf(records, 'key', 'name', 'value'), rtype, sourceIds],
    );
    const at = new Map(rows.map((row) => [Number(row.place) - 1, row.at]));
    return records.map((_, place) => at.get(place) ?? null);
  }

  async countNames(
    addresses: readonly string[],
    asked: Omit<RecordsAsked, 'sought'>,
  ): Promise<{ address: string; names: number }[]> {
    const { rtype, isCurrent, passiveSince, sourceIds } = asked;
    // Each address is counted separately, so that an address with very many names does not delay the others, and a
    // cluster counts each on its own node.
    const counts = addresses.map(
      (
        _,
        place,
      ) => `select host(($1::inet[])[${place + 1}]) as address, count(*)::int as names from (
         select 1 from (
           select t.domain_key as key, t.name from dns_span t
           where t.ip = ($1::inet[])[${place + 1}] and t.rtype = $2 and ${IS_SHOWN}
           group by t.domain_key, t.name) found
         where ${IS_REGISTERED} limit ${COUNTED_MAX}) counted`,
    );
    return this.database.query(counts.join(' union all '), [
      addresses,
      rtype,
      isCurrent,
      passiveSince,
      sourceIds,
    ]);
  }

  /**
   * Lists hosts that have an address according to sources whose data may be shown. Unless the search is for current
   * records only, also lists hosts that had it earlier.
   */
  async listHosts(
    address: string,
    { isCurrent, passiveSince, sourceIds }: Omit<RecordsAsked, 'rtype' | 'sought'>,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ host: string }>(
      `select distinct case t.host when '' then t.name else t.host || '.' || t.name end as host
       from dns_span t where t.ip = $1 and ${IS_SHOWN} order by host limit $2`,
      [address, limit, isCurrent, passiveSince, sourceIds],
    );
    return rows.map(({ host }) => host);
  }
}

const IS_SHOWN = `(not $3 or t.until is null or (t.is_passive and t.until >= $4))
  and ${isSeenBy('t', '$5')}`;

/**
 * True for a registered name in `found`, and for every name unless the search is for current records only. The
 * condition is evaluated for each name after grouping, in page order, so that reading stops at the end of the page.
 */
const IS_REGISTERED = `(not $3 or coalesce((select false from domain d
  where d.domain_key = found.key and d.name = found.name and d.dropped_at is not null), true))`;

/**
 * Returns SQL for the names that match.
 * @param after a condition on records (`t`), which makes the page begin after the previous one.
 */
function foundSql(asked: RecordsAsked, after = ''): string {
  const { target, place } = formOf(asked);
  return `select * from (
    select ${target} as target, ${place} as place, t.domain_key as key, t.name,
      min(t.value) as value, min(t.first_seen) as "firstAt"
    ${recordsOf(asked)} ${after}
    group by 1, 3, 4) found
  where ${IS_REGISTERED}`;
}

export function isOfOneAddress(sought: RecordsSought): boolean {
  return 'first' in sought && sought.first === sought.last;
}

/** Returns the parts of the SQL that depend on whether addresses are searched for. */
function formOf({ sought }: RecordsAsked) {
  const isOfAddresses = 'first' in sought;
  return {
    target: isOfAddresses ? 't.ip' : `''::text`,
    place: isOfAddresses ? 'host(t.ip)' : `''`,
    first: [isOfAddresses ? '0.0.0.0' : '', ALL_KEYS.fromKey, ''],
    type: isOfAddresses ? 'inet' : 'text',
  };
}

function recordsOf({ sought }: RecordsAsked): string {
  const condition =
    'first' in sought
      ? isOfOneAddress(sought)
        ? 't.ip = $1::inet'
        : 't.ip between $1::inet and $6::inet'
      : 'valueKeys' in sought
        ? 't.value_key = any($1::bigint[])'
        : `t.rtype = ${TEXT} and t.value ilike any($1::text[]) and ($6::text is null or t.value ~* $6)`;
  return `from dns_span t where ${condition} and t.rtype = $2 and ${IS_SHOWN}`;
}

function valuesOf({ sought, rtype, isCurrent, passiveSince, sourceIds }: RecordsAsked): unknown[] {
  const shown = [rtype, isCurrent, passiveSince, sourceIds];
  if ('first' in sought) {
    return [sought.first, ...shown, ...(isOfOneAddress(sought) ? [] : [sought.last])];
  }
  if ('valueKeys' in sought) return [sought.valueKeys, ...shown];
  return [sought.patterns, ...shown, sought.bounded];
}
