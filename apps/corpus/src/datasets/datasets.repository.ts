import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import { isSeenBy, seeingSource } from '../dns/shown-spans.js';
import type { Key } from '../names/domain-key.js';
import { type KnownRecord, NEWEST_RECORDS } from '../records/known-record.js';
import { FeedDatabase } from '../searches/search-database.js';
import type { DatasetForm } from './dataset.js';

export interface DatasetName {
  key: Key;
  name: string;
  sourceId: number;
  observedAt: Date;
  /** True if the name itself was first seen earlier, and only its record was new on the day. */
  isSeenBefore?: boolean;
}

/** One page of a key range: the names after the last name of the previous page. */
export interface DatasetPart {
  toKey: Key;
  after: { key: Key; name: string };
  sourceIds: readonly number[];
  limit: number;
}

export interface CurrentRecord {
  name: string;
  rtype: number;
  value: string;
  firstAt: Date;
  /** When one of the sources last queried the name; null if none did. */
  queriedAt: Date | null;
  sourceId: number;
}

/** The kinds of sources that observe names of any age: our own lookups, sensors, certificates and WHOIS rows. */
const OBSERVING_KINDS = ['lookups', 'pdns', 'ct', 'whois_csv'];

const PART = `domain_key <= $1 and (domain_key, name) > ($2, $3)`;

@Injectable()
export class DatasetsRepository {
  constructor(private readonly database: FeedDatabase) {}

  /**
   * Lists registered names. @param isOfSources whether to list only names that were observed or listed by a source
   * whose data may be sold.
   */
  async listNames(part: DatasetPart, isOfSources: boolean): Promise<DatasetName[]> {
    return this.database.query(
      `select domain_key as key, name, source_id as "sourceId", first_seen as "observedAt"
       from domain d where ${PART} and dropped_at is null
         and ($5 = false or source_id = any($4::smallint[]) or listed_by = any($4::smallint[])
           or exists (select from name_source n
             where n.domain_key = d.domain_key and n.name = d.name and n.source_id = any($4::smallint[])))
       order by domain_key, name limit $6`,
      [...valuesOf(part), isOfSources, part.limit],
    );
  }

  /**
   * Lists which of the given names are registered or, if `isRegistered` is false, which are no longer registered but
   * were seen before a time.
   */
  async listStanding(
    names: readonly DatasetName[],
    { isRegistered, seenBefore }: { isRegistered: boolean; seenBefore: Date },
  ): Promise<Set<string>> {
    const rows = await this.database.query<{ name: string }>(
      `select d.name from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       where (d.dropped_at is null) = $3 and ($3 or d.first_seen < $4)`,
      [...columnsOf(names, 'key', 'name'), isRegistered, seenBefore],
    );
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * Lists the names with a change that was recorded on a day. Three kinds of changes do not count: the first record of
   * a name; a change that another of the sources had already recorded; and the drop of a name that was not registered
   * when the day began.
   * @param observedFrom the earliest time of an observation; older changes are omitted.
   */
  async listChanged(
    part: DatasetPart,
    { kind, subject }: NonNullable<DatasetForm['change']>,
    { from, to, observedFrom }: { from: Date; to: Date; observedFrom: Date },
  ): Promise<DatasetName[]> {
    return this.database.query(
      `select domain_key as key, name, max(source_id) as "sourceId", max(observed_at) as "observedAt"
       from change_event c
       where id >= least_id($5) and id < least_id($6) and kind = $7 and subject = $8
         and not is_first and not is_shown_first and observed_at >= $9
         and source_id = any($4::smallint[]) and ${PART}
         and (not is_repeated or not exists (select from change_event n
           where n.domain_key = c.domain_key and n.name = c.name and n.kind = c.kind and n.subject = c.subject
             and not n.is_shown_first and n.source_id = any($4::smallint[]) and n.id >= least_id($9) and n.id < c.id))
         and ($7 <> 'dropped' or not exists (select from change_event n
           where n.domain_key = c.domain_key and n.name = c.name and n.kind = 'new' and not n.is_shown_first
             and n.id >= least_id($5) and n.id < c.id))
       group by domain_key, name order by domain_key, name limit $10`,
      [...valuesOf(part), from, to, kind, subject, observedFrom, part.limit],
    );
  }

  /**
   * Lists names that were new on a day, and names whose first record became known on that day. The registry of a new
   * name is queried when its rate limit allows, which may be days later.
   */
  async listFirstKnown(
    part: DatasetPart,
    subject: 'whois' | 'dns',
    { from, to, observedFrom }: { from: Date; to: Date; observedFrom: Date },
  ): Promise<DatasetName[]> {
    return this.database.query(
      `select domain_key as key, name, max(observed_at) as "observedAt",
         coalesce(max(source_id) filter (where kind = 'new'), max(source_id)) as "sourceId",
         not bool_or(kind = 'new') as "isSeenBefore"
       from change_event
       where id >= least_id($5) and id < least_id($6) and observed_at >= $7
         and (kind = 'new' and not is_first and not is_shown_first or is_first and subject = $8)
         and source_id = any($4::smallint[]) and ${PART}
       group by domain_key, name order by domain_key, name limit $9`,
      [...valuesOf(part), from, to, observedFrom, subject, part.limit],
    );
  }

  async listFirstSightings(
    names: readonly DatasetName[],
  ): Promise<{ name: string; firstAt: Date; sourceId: number }[]> {
    return this.database.query(
      `select d.name, d.first_seen as "firstAt", d.source_id as "sourceId"
       from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name`,
      columnsOf(names, 'key', 'name'),
    );
  }

  /**
   * Returns the ids of the sources that observe names of any age. A first sighting by such a source
   * does not show that a name is new.
   */
  async listObserving(): Promise<Set<number>> {
    const rows = await this.database.query<{ id: number }>(
      `select id from source where kind = any($1::text[])`,
      [OBSERVING_KINDS],
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Lists the newest complete records of names: one from sources whose data may be sold, and one from all sources. */
  async listRecords(
    names: readonly DatasetName[],
    sourceIds: readonly number[],
  ): Promise<KnownRecord[]> {
    return this.database.query(NEWEST_RECORDS, [...columnsOf(names, 'key', 'name'), sourceIds]);
  }

  async listCurrent(
    names: readonly DatasetName[],
    sourceIds: readonly number[],
  ): Promise<CurrentRecord[]> {
    return this.database.query(
      `select t.name, t.rtype, t.value, t.first_seen as "firstAt", g.at as "queriedAt",
         ${seeingSource('t', '$3')} as "sourceId"
       from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join dns_span t on t.domain_key = q.domain_key and t.name = q.name and t.host = ''
         and not t.is_passive and t.until is null and ${isSeenBy('t', '$3')}
       left join lateral (select g.observed_at as at from dns_sighting g
         where g.domain_key = t.domain_key and g.name = t.name and g.host = ''
           and g.source_id = any($3::smallint[])
         order by g.observed_at desc limit 1) g on true
       order by t.domain_key, t.name, t.rtype, t.value`,
      [...columnsOf(names, 'key', 'name'), sourceIds],
    );
  }
}

function valuesOf({ toKey, after, sourceIds }: DatasetPart): unknown[] {
  return [toKey, after.key, after.name, sourceIds];
}
