import { Injectable } from '@nestjs/common';
import { columnsOf } from '#libs/database';
import { DNS_TYPES } from '#libs/resolvers';
import { bitOf } from '../dns/dns-type.js';
import { isSeenBy } from '../dns/shown-spans.js';
import type { Key } from '../names/domain-key.js';
import { type KnownRecord, NEWEST_RECORDS } from '../records/known-record.js';
import { SearchDatabase } from '../searches/search-database.js';

export interface PagedName {
  key: Key;
  name: string;
}

export interface NewestDns {
  name: string;
  nameServers: string[] | null;
  mailServers: string[] | null;
  /** Whether the name's MX records are known: one of them was seen, or they were queried. */
  isMailKnown: boolean;
}

export interface FirstList {
  sourceId: number;
  scope: string;
  at: Date;
}

@Injectable()
export class NewestRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Lists the newest records of names. @param sourceIds sources whose data may be shown. */
  async listRecords(
    names: readonly PagedName[],
    sourceIds: readonly number[],
  ): Promise<KnownRecord[]> {
    return this.database.query(NEWEST_RECORDS, [...columnsOf(names, 'key', 'name'), sourceIds]);
  }

  /**
   * Lists the current name and mail servers of names. @param passiveSince passive records that were last seen earlier
   * do not count as current.
   */
  async listDns(
    names: readonly PagedName[],
    { sourceIds, passiveSince }: { sourceIds: readonly number[]; passiveSince: Date },
  ): Promise<NewestDns[]> {
    return this.database.query(
      `select q.name, s."nameServers", s."mailServers",
         s."mailServers" is not null or exists (select from dns_sighting g
           where g.domain_key = d.domain_key and g.name = d.name and g.host = ''
             and g.types & $5 > 0 and g.source_id = any($3::smallint[])) as "isMailKnown"
       from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       join domain d on d.domain_key = q.domain_key and d.name = q.name
       left join lateral (
         select array_agg(distinct s.value) filter (where s.rtype = $4) as "nameServers",
           array_agg(distinct split_part(s.value, ' ', 2)) filter (where s.rtype = $6) as "mailServers"
         from dns_span s
         where s.domain_key = d.domain_key and s.name = d.name and s.host = ''
           and s.rtype in ($4, $6) and (s.until is null or (s.is_passive and s.until >= $7))
           and ${isSeenBy('s', '$3')}) s on true`,
      [
        ...columnsOf(names, 'key', 'name'),
        sourceIds,
        DNS_TYPES.NS,
        bitOf(DNS_TYPES.MX),
        DNS_TYPES.MX,
        passiveSince,
      ],
    );
  }

  async listFirstLists(
    sourceIds: readonly number[],
    scopes: readonly string[],
  ): Promise<FirstList[]> {
    return this.database.query(
      `select source_id as "sourceId", scope, min(observed_at) as at from source_batch
       where source_id = any($1::smallint[]) and scope = any($2::text[]) and is_complete
       group by source_id, scope`,
      [sourceIds, scopes],
    );
  }
}
