import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';

export interface SpanOwner {
  key: Key;
  name: string;
  host: string;
}

export interface AskedOwner extends SpanOwner {
  firstAt: Date;
  lastAt: Date;
}

export interface SpanRow extends SpanOwner {
  rtype: number;
  value: string;
  valueKey: Key;
  ip: string | null;
  firstAt: Date;
  untilAt: Date | null;
  isPassive: boolean;
  /** A source that saw the record in this period. */
  sourceId: number;
}

export interface Sighting extends SpanOwner {
  at: Date;
  types: number;
}

/** A source, with the ids of sources that have fewer and more rights. */
export interface SpanSource {
  sourceId: number;
  outranked: readonly number[];
  outranking: readonly number[];
}

/** A known sighting between new observations, or the nearest one before or after them. */
export interface NearSighting {
  atMs: number;
  types: number;
  sourceId: number;
}

const OWNER = 'd.domain_key and t.name = d.name and t.host = q.host';
const ASKED = `unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
  with ordinality as q (domain_key, name, host, first_at, last_at, place)
  join domain d on d.domain_key = q.domain_key and d.name = q.name`;

/** The nearest sightings of each type; each type is searched separately, because a sighting may not cover all types. */
const NEAR_SIGHTINGS = `
  select distinct q.place, l.observed_at as at, l.types, l.source_id as "sourceId"
  from ${ASKED}
  cross join unnest($6::integer[]) as bit
  cross join lateral (
    (select t.observed_at, t.types, t.source_id from dns_sighting t where t.domain_key = ${OWNER}
       and t.types & bit <> 0 and t.observed_at < q.first_at order by t.observed_at desc limit 1)
    union all
    (select t.observed_at, t.types, t.source_id from dns_sighting t where t.domain_key = ${OWNER}
       and t.types & bit <> 0 and t.observed_at between q.first_at and q.last_at)
    union all
    (select t.observed_at, t.types, t.source_id from dns_sighting t where t.domain_key = ${OWNER}
       and t.types & bit <> 0 and t.observed_at > q.last_at order by t.observed_at limit 1)
  ) l`;

/** Passive spans from some sources, each with the same record and start time as one of the given spans. */
const SAME_PASSIVE = `unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[], $5::bigint[], $6::timestamptz[])
    with ordinality as q (domain_key, name, host, rtype, value_key, first_seen, place)
  where t.domain_key = q.domain_key and t.name = q.name and t.host = q.host and t.rtype = q.rtype
    and t.value_key = q.value_key and t.first_seen = q.first_seen and t.is_passive
    and t.source_id = any($7::smallint[])`;

@Injectable()
export class SpansRepository {
  /** Lists the sightings near the new observations of each owner. @param bits the relevant types. */
  async listNear(
    transaction: Transaction,
    owners: readonly AskedOwner[],
    bits: readonly number[],
  ): Promise<NearSighting[][]> {
    const rows = await transaction.query<{ place: string; at: Date } & Omit<NearSighting, 'atMs'>>(
      NEAR_SIGHTINGS,
      [...columnsOf(owners, 'key', 'name', 'host', 'firstAt', 'lastAt'), bits],
    );
    const near: NearSighting[][] = owners.map(() => []);
    for (const { place, at, types, sourceId } of rows) {
      near[Number(place) - 1].push({ atMs: at.getTime(), types, sourceId });
    }
    return near;
  }

  /** Lists spans of complete observations: for each owner, those that touch its period. */
  async listSpans(
    transaction: Transaction,
    owners: readonly AskedOwner[],
  ): Promise<Pick<SpanRow, 'rtype' | 'value' | 'firstAt' | 'untilAt'>[][]> {
    const rows = await transaction.query<{
      place: string;
      rtype: number;
      value: string;
      firstAt: Date;
      untilAt: Date | null;
    }>(
      `select q.place, t.rtype, t.value, t.first_seen as "firstAt", t.until as "untilAt"
       from ${ASKED}
       join dns_span t on t.domain_key = ${OWNER} and not t.is_passive
         and t.first_seen <= q.last_at and (t.until is null or t.until > q.first_at)`,
      columnsOf(owners, 'key', 'name', 'host', 'firstAt', 'lastAt'),
    );
    const spans: Pick<SpanRow, 'rtype' | 'value' | 'firstAt' | 'untilAt'>[][] = owners.map(
      () => [],
    );
    for (const { place, ...span } of rows) spans[Number(place) - 1].push(span);
    return spans;
  }

  async add(transaction: Transaction, spans: readonly SpanRow[]): Promise<void> {
    await transaction.query(
      `insert into dns_span (domain_key, name, host, rtype, value, value_key, ip, first_seen, until, is_passive, source_id)
       select * from unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[], $5::text[],
         $6::bigint[], $7::inet[], $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::smallint[])
       on conflict (domain_key, name, host, rtype, value_key, first_seen, is_passive)
       do update set until = greatest(dns_span.until, excluded.until)
       where dns_span.is_passive and dns_span.until < excluded.until`,
      [
        ...columnsOf(spans, 'key', 'name', 'host', 'rtype', 'value', 'valueKey'),
        ...columnsOf(spans, 'ip', 'firstAt', 'untilAt', 'isPassive', 'sourceId'),
      ],
    );
  }

  /**
   * Deletes equal spans of sources with fewer rights. @returns the spans that have no equal span of a source with more
   * rights.
   */
  async claimPassive(
    transaction: Transaction,
    spans: readonly SpanRow[],
    { outranked, outranking }: SpanSource,
  ): Promise<SpanRow[]> {
    const keys = columnsOf(spans, 'key', 'name', 'host', 'rtype', 'valueKey', 'firstAt');
    if (outranked.length > 0) {
      await transaction.query(`delete from dns_span t using ${SAME_PASSIVE}`, [...keys, outranked]);
    }
    if (outranking.length === 0) return [...spans];
    const kept = await transaction.query<{ place: string }>(
      `select q.place from dns_span t, ${SAME_PASSIVE}`,
      [...keys, outranking],
    );
    const places = new Set(kept.map(({ place }) => Number(place) - 1));
    return spans.filter((_, place) => !places.has(place));
  }

  async remove(transaction: Transaction, spans: readonly SpanRow[]): Promise<void> {
    await transaction.query(
      `delete from dns_span t
       using unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[], $5::bigint[], $6::timestamptz[])
         as q (domain_key, name, host, rtype, value_key, first_seen)
       where t.domain_key = q.domain_key and t.name = q.name and t.host = q.host and t.rtype = q.rtype and t.value_key = q.value_key
         and t.first_seen = q.first_seen and not t.is_passive`,
      columnsOf(spans, 'key', 'name', 'host', 'rtype', 'valueKey', 'firstAt'),
    );
  }

  async addSightings(
    transaction: Transaction,
    sightings: readonly Sighting[],
    { sourceId, outranked }: SpanSource,
  ): Promise<void> {
    const columns = columnsOf(sightings, 'key', 'name', 'host', 'at', 'types');
    if (outranked.length > 0) {
      await transaction.query(
        `delete from dns_sighting s
         using unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[])
           as q (domain_key, name, host, at, types)
         where s.domain_key = q.domain_key and s.name = q.name and s.host = q.host
           and s.observed_at = q.at and s.types = q.types and s.source_id = any($6::smallint[])`,
        [...columns, outranked],
      );
    }
    await transaction.query(
      `insert into dns_sighting (domain_key, name, host, observed_at, types, source_id)
       select *, $6 from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[])
       on conflict do nothing`,
      [...columns, sourceId],
    );
  }
}
