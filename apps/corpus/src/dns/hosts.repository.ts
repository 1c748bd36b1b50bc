import { Injectable } from '@nestjs/common';
import { type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';
import type { SpanSource } from './spans.repository.js';

export interface SeenHost {
  key: Key;
  name: string;
  host: string;
  at: Date;
  hasResolved: boolean | null;
}

export type NamedHost = Omit<SeenHost, 'hasResolved'>;

@Injectable()
export class HostsRepository {
  /**
   * Adds hosts that records of other names lead to, so that their addresses are looked up. They count as seen only once
   * they have one. Hosts below names that are not registered are left out.
   */
  async addNamed(
    transaction: Transaction,
    hosts: readonly NamedHost[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `insert into host (domain_key, name, host, source_id, first_seen)
       select d.domain_key, d.name, q.host, $5, min(q.at)
       from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as q (domain_key, name, host, at)
       join domain d on d.domain_key = q.domain_key and d.name = q.name and d.dropped_at is null
       group by d.domain_key, d.name, q.host
       on conflict do nothing`,
      [...columnsOf(hosts, 'key', 'name', 'host', 'at'), sourceId],
    );
  }

  /**
   * Adds hosts and their sightings. The row of a known host changes only if the new observation is older. If two
   * sources observed a host at the same time, the sighting is that of the source with more rights.
   */
  async add(
    transaction: Transaction,
    hosts: readonly SeenHost[],
    { sourceId, outranked }: SpanSource,
  ): Promise<void> {
    const columns = columnsOf(hosts, 'key', 'name', 'host', 'at', 'hasResolved');
    if (outranked.length > 0) {
      await transaction.query(
        `delete from host_sighting s
         using unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as q (domain_key, name, host, at)
         where s.domain_key = q.domain_key and s.name = q.name and s.host = q.host
           and s.observed_at = q.at and s.source_id = any($5::smallint[])`,
        [...columns.slice(0, 4), outranked],
      );
    }
    await transaction.query(
      `insert into host as h (domain_key, name, host, source_id, first_seen)
       select domain_key, name, host, $5, min(at)
       from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[]) as q (domain_key, name, host, at)
       group by domain_key, name, host
       on conflict (domain_key, name, host) do update set first_seen = excluded.first_seen
       where h.first_seen > excluded.first_seen`,
      [...columns.slice(0, 4), sourceId],
    );
    await transaction.query(
      `insert into host_sighting (domain_key, name, host, observed_at, source_id, has_resolved)
       select domain_key, name, host, at, $6, bool_or(has_resolved)
       from unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[])
         as q (domain_key, name, host, at, has_resolved)
       group by domain_key, name, host, at
       on conflict do nothing`,
      [...columns, sourceId],
    );
  }
}
