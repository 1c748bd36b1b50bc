import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import type { FiledName } from '../names/registrable-name.js';
import type { Registration } from '../records/registration.js';
import { FeedDatabase } from '../searches/search-database.js';

export interface FreshRecord {
  name: string;
  sourceId: number;
  observedAt: Date;
  record: Registration;
}

/** The DNS records of a name whose requested types have all been queried since a given time. */
export interface FreshDns {
  name: string;
  sourceId: number;
  observedAt: Date;
  records: { rtype: number; value: string }[];
}

const REGISTERED = `unnest($1::bigint[], $2::text[]) as q (domain_key, name)
  join domain d on d.domain_key = q.domain_key and d.name = q.name and d.dropped_at is null`;

@Injectable()
export class FreshestRepository {
  constructor(private readonly database: FeedDatabase) {}

  /**
   * Lists the newest complete record of each registered name, if a source whose data may be shown delivered the record,
   * and such a source has seen it since a given time.
   */
  async listRecords(
    names: readonly FiledName[],
    since: Date,
    sourceIds: readonly number[],
  ): Promise<FreshRecord[]> {
    return this.database.query(
      `select q.name, r.source_id as "sourceId", r.record,
         greatest(r.observed_at, c.last_at) as "observedAt"
       from ${REGISTERED}
       cross join lateral (select * from whois_revision r
         where r.domain_key = d.domain_key and r.name = d.name and r.is_complete
         order by r.observed_at desc, r.state desc limit 1) r
       left join lateral (select observed_at as last_at from whois_confirmation c
         where c.domain_key = d.domain_key and c.name = d.name and c.is_complete
           and c.source_id = any($4::smallint[])
         order by c.observed_at desc limit 1) c on true
       where greatest(r.observed_at, c.last_at) >= $3 and r.source_id = any($4::smallint[])`,
      [...columnsOf(names, 'key', 'name'), since, sourceIds],
    );
  }

  /**
   * Lists the newest DNS records of registered names. Each of the requested types must have been queried since the
   * given time by a source whose data may be shown. @param bits the bits of the requested types, in the order of
   * `rtypes`.
   */
  async listDns(
    names: readonly FiledName[],
    { since, rtypes, bits }: { since: Date; rtypes: readonly number[]; bits: readonly number[] },
    sourceIds: readonly number[],
  ): Promise<FreshDns[]> {
    return this.database.query(
      `select q.name, s.source_id as "sourceId", s.at as "observedAt", coalesce(v.records, '[]') as records
       from ${REGISTERED}
       cross join lateral (
         select min(b.at) as at, min(b.source_id) as source_id, count(*) as types,
           array_agg(b.rtype) as rtypes, array_agg(b.at) as times
         from (select k.rtype, max(t.observed_at) as at,
             (array_agg(t.source_id order by t.observed_at desc))[1] as source_id
           from dns_sighting t join unnest($3::integer[], $6::smallint[]) as k (bit, rtype) on t.types & k.bit <> 0
           where t.domain_key = d.domain_key and t.name = d.name and t.host = ''
             and t.observed_at >= $4 and t.source_id = any($5::smallint[])
           group by k.rtype) b) s
       left join lateral (
         select json_agg(json_build_object('rtype', t.rtype, 'value', t.value) order by t.rtype, t.value) as records
         from dns_span t
         where t.domain_key = d.domain_key and t.name = d.name and t.host = '' and not t.is_passive
           and t.first_seen <= s.times[array_position(s.rtypes, t.rtype)]
           and (t.until is null or t.until > s.times[array_position(s.rtypes, t.rtype)])) v on true
       where s.types = cardinality($3::integer[])`,
      [...columnsOf(names, 'key', 'name'), bits, since, sourceIds, rtypes],
    );
  }
}
