import { Injectable } from '@nestjs/common';
import { isSeenBy, seeingSource } from '../dns/shown-spans.js';
import type { FiledName } from '../names/registrable-name.js';
import { SearchDatabase } from '../searches/search-database.js';

/** A record of a name with the time in which it was there. */
export interface StretchRow {
  rtype: number;
  value: string;
  firstAt: Date;
  /** The first time at which it was absent; for passive DNS, the last time at which it was present. */
  untilAt: Date | null;
  isPassive: boolean;
  sourceId: number;
}

export interface StretchesAsked {
  name: FiledName;
  rtypes: readonly number[];
  from: string;
  to: string;
  sourceIds: readonly number[];
  limit: number;
}

/** Records of names over time. */
@Injectable()
export class DnsHistoryRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Records of the name itself that existed within the span of time, the newest first. */
  async list({ name, rtypes, from, to, sourceIds, limit }: StretchesAsked): Promise<StretchRow[]> {
    return this.database.query(
      `select rtype, value, first_seen as "firstAt", until as "untilAt",
         is_passive as "isPassive", ${seeingSource('s', '$6')} as "sourceId"
       from dns_span s
       where domain_key = $1 and name = $2 and host = '' and rtype = any($3::smallint[])
         and first_seen < $5 and (until is null or until >= $4)
         and ${isSeenBy('s', '$6')}
       order by first_seen desc, rtype, value limit $7`,
      [name.key, name.name, rtypes, from, to, sourceIds, limit],
    );
  }

  /** When the records of each type were last queried, by the bit of the type. */
  async lastSightings(
    name: FiledName,
    bits: readonly number[],
    sourceIds: readonly number[],
  ): Promise<Map<number, Date>> {
    const rows = await this.database.query<{ bit: number; at: Date }>(
      `select bit, s.observed_at as at
       from unnest($3::integer[]) as bit
       cross join lateral (select observed_at from dns_sighting
         where domain_key = $1 and name = $2 and host = '' and types & bit <> 0
           and source_id = any($4::smallint[])
         order by observed_at desc limit 1) s`,
      [name.key, name.name, bits, sourceIds],
    );
    return new Map(rows.map(({ bit, at }) => [bit, at]));
  }
}
