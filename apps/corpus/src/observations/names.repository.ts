import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import { DAY_MS } from '#libs/platform';
import type { FiledName } from '../names/registrable-name.js';
import type { RankedSources } from '../sources/source.js';

/** A name with the earliest and the latest time at which it was seen to be registered. */
export interface SeenName extends FiledName {
  skeleton: string | null;
  tld: string;
  firstAt: Date;
  lastAt: Date;
  /** The latest time at which it was certainly registered; see `CACHED_MS`. */
  certainAt: Date;
}

/**
 * For this long after its first sighting, a name still counts as new for a source whose data may be sold or shown, if
 * only sources without this right have seen the name before.
 */
const NEW_MS = 30 * DAY_MS;

export interface CorrectedName extends Pick<FiledName, 'key' | 'name'> {
  wasDropped: boolean;
  isNew: boolean;
  isShownFirst: boolean;
}

export interface CorrectedNames {
  /** The names that are registered again. */
  again: CorrectedName[];
  /** Other names that are new for a source whose data may be sold: only sources without this right have seen them. */
  repeated: CorrectedName[];
  /** Other names that are new for a source whose data may be shown. */
  shownFirst: CorrectedName[];
}

export function correctedNames(rows: readonly CorrectedName[]): CorrectedNames {
  return {
    again: rows.filter(({ wasDropped }) => wasDropped),
    repeated: rows.filter(({ wasDropped, isNew }) => isNew && !wasDropped),
    shownFirst: rows.filter(({ wasDropped, isShownFirst }) => isShownFirst && !wasDropped),
  };
}

/** Returns the earliest first sighting with which a name counts as new at the given time. */
export const newSince = (at: Date) => new Date(at.getTime() - NEW_MS);

/**
 * Returns SQL that is true for a registered name that only unsold sources have reported after `since`, either as new or
 * as registered again.
 * @param unsold the parameter with the unsold sources; `isSold` says whether the data of the new source may be sold.
 */
export function isNewFor(
  domain: string,
  { since, unsold, isSold }: Record<'since' | 'unsold' | 'isSold', string>,
): string {
  return `(${domain}.dropped_at is null and (${domain}.again_at > ${since} and ${isSold}
    or ${domain}.source_id = any(${unsold}::smallint[]) and ${domain}.first_seen > ${since}))`;
}

/** Returns SQL that is true for a registered name that only unshown sources have seen, and only after `since`. */
export function isShownFirst(domain: string, since: string, unshown: string): string {
  return `(${domain}.source_id = any(${unshown}::smallint[]) and ${domain}.dropped_at is null
    and ${domain}.first_seen > ${since})`;
}

/** Returns SQL for the new value of `again_at`. @param seenAt when the new source saw the name. */
export function againAt(wasDropped: string, seenAt: string, isSold: string): string {
  return `case when ${isSold} then null when ${wasDropped} then ${seenAt} else d.again_at end`;
}

export interface GoneName extends Pick<FiledName, 'key' | 'name'> {
  at: Date;
}

/**
 * Returns SQL for the second source of a name and for its time. Usually, this is the new source. If the new source has
 * more rights, however, it becomes the name's own source, and the previous own source (in `d`) becomes the second
 * source.
 * @param sourceId the parameter with the new source; `outranked` is the one with the sources that have fewer rights.
 */
export function otherSource(listedAt: string, sourceId: string, outranked: string): string {
  const isTaken = `d.source_id = any(${outranked}::smallint[])`;
  return `case when ${isTaken} then d.source_id else ${sourceId}::smallint end,
    case when ${isTaken} then d.first_seen else ${listedAt} end`;
}

@Injectable()
export class NamesRepository {
  /** Adds names. @returns the names that were unknown. */
  async addNames(
    transaction: Transaction,
    names: readonly SeenName[],
    sourceId: number,
  ): Promise<Set<string>> {
    const rows = await transaction.query<{ name: string }>(
      `insert into domain (domain_key, name, label, unicode, skeleton, first_seen, source_id)
       select *, $7 from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
       on conflict do nothing
       returning name`,
      [...columnsOf(names, 'key', 'name', 'label', 'unicode', 'skeleton', 'firstAt'), sourceId],
    );
    return new Set(rows.map(({ name }) => name));
  }

  async listKnown(
    transaction: Transaction,
    names: readonly Pick<FiledName, 'key' | 'name'>[],
  ): Promise<Set<string>> {
    const rows = await transaction.query<{ name: string }>(
      `select d.name from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name`,
      columnsOf(names, 'key', 'name'),
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Records that a source has listed names that belong to another source. If the names are about to pass to this source
   * because it has more rights, records the source to which they belonged.
   * @param isListing whether the source listed the names. Its other observations are recorded separately.
   */
  async addSource(
    transaction: Transaction,
    names: readonly (SeenName & { isListing: boolean })[],
    { sourceId, outranked }: { sourceId: number; outranked: readonly number[] },
  ): Promise<void> {
    await transaction.query(
      `insert into name_source (domain_key, name, source_id, first_seen)
       select d.domain_key, d.name, ${otherSource('q.first_at', '$5', '$6')}
       from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::boolean[])
         as q (domain_key, name, first_at, is_listing)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       where d.source_id <> $5 and (q.is_listing or d.source_id = any($6::smallint[]))
       on conflict do nothing`,
      [...columnsOf(names, 'key', 'name', 'firstAt', 'isListing'), sourceId, outranked],
    );
  }

  /** Adds numbers of new names to the counts of their top-level domains. */
  async countNames(transaction: Transaction, tlds: ReadonlyMap<string, number>): Promise<void> {
    await transaction.query(
      `insert into tld_names (tld, names)
       select * from unnest($1::text[], $2::bigint[])
       on conflict (tld) do update set names = tld_names.names + excluded.names`,
      [[...tlds.keys()], [...tlds.values()]],
    );
  }

  /**
   * Moves the first sighting of known names back if an earlier one arrives, restores names that were seen after they
   * had been dropped, and assigns names to a source with more rights. Changes no other row.
   * @param by the source, with its rights compared with those of the other sources.
   * @returns names that are registered again, and new names that only unsold sources have seen before.
   */
  async correctNames(
    transaction: Transaction,
    names: readonly SeenName[],
    by: Omit<RankedSources, 'outranking'> & { sourceId: number },
  ): Promise<CorrectedNames> {
    const rows = await transaction.query<CorrectedName>(
      `update domain d set
         first_seen = least(d.first_seen, q.first_at),
         source_id = case when d.source_id = any($6::smallint[]) then $5 else d.source_id end,
         dropped_at = case when d.dropped_at < q.last_at then null else d.dropped_at end,
         again_at = ${againAt('d.dropped_at < q.last_at', 'q.last_at', '$9')}
       from (select o.domain_key, o.name, o.dropped_at as was, n.first_at, n.last_at,
           ${isNewFor('o', { since: 'n.new_since', unsold: '$7', isSold: '$9' })} as is_new,
           ${isShownFirst('o', 'n.new_since', '$10')} as is_shown_first
         from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::timestamptz[], $8::timestamptz[])
           as n (domain_key, name, first_at, last_at, new_since)
         join domain o on o.domain_key = n.domain_key and o.name = n.name) q
       where d.domain_key = q.domain_key and d.name = q.name
         and (d.first_seen > q.first_at or d.dropped_at < q.last_at
           or d.source_id = any($6::smallint[]) or ($9::boolean and d.again_at is not null))
       returning d.domain_key as key, d.name,
         d.dropped_at is null and q.was is not null as "wasDropped", q.is_new as "isNew",
         q.is_shown_first as "isShownFirst"`,
      [
        ...columnsOf(names, 'key', 'name', 'firstAt', 'certainAt'),
        by.sourceId,
        by.outranked,
        by.unsold,
        names.map(({ firstAt }) => newSince(firstAt)),
        by.isSold,
        by.unshown,
      ],
    );
    return correctedNames(rows);
  }

  /**
   * Marks each known name as dropped at the given time, unless a record of it was observed, or the name was first seen,
   * at that time or later. If a name was dropped at several times, the earliest counts.
   * @returns the names that had not been marked before.
   */
  async dropNames(
    transaction: Transaction,
    names: readonly GoneName[],
  ): Promise<{ key: string; name: string }[]> {
    const rows = await transaction.query<{ key: string; name: string; was: Date | null }>(
      `update domain d set dropped_at = q.at
       from (select o.domain_key, o.name, o.dropped_at as was, n.at
         from unnest($1::bigint[], $2::text[], $3::timestamptz[]) as n (domain_key, name, at)
         join domain o on o.domain_key = n.domain_key and o.name = n.name
         where not exists (select from whois_revision r where r.domain_key = o.domain_key
             and r.name = o.name and r.observed_at >= n.at)
           and not exists (select from whois_confirmation c where c.domain_key = o.domain_key
             and c.name = o.name and c.observed_at >= n.at)) q
       where d.domain_key = q.domain_key and d.name = q.name and d.first_seen < q.at
         and (d.dropped_at is null or d.dropped_at > q.at)
       returning d.domain_key as key, d.name, q.was`,
      columnsOf(names, 'key', 'name', 'at'),
    );
    return rows.filter(({ was }) => was === null);
  }
}
