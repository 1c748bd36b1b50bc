import { Injectable } from '@nestjs/common';
import { isSeenHost } from '../dns/seen-hosts.js';
import { isSeenBy } from '../dns/shown-spans.js';
import type { FiledName } from '../names/registrable-name.js';
import { countOf } from '../searches/counted-pages.js';
import type { PagePlace } from '../searches/search-answer.js';
import { SearchDatabase } from '../searches/search-database.js';
import { LOOKUPS_SOURCE } from '../sources/source.js';

export interface HostsAsked {
  name: FiledName;
  /** The bounds of the first sighting, in PostgreSQL's format. */
  from: string;
  to: string;
  activeSince: Date;
  status: 'active' | 'inactive' | null;
  sourceIds: readonly number[];
}

export interface HostRow {
  host: string;
  firstAt: Date;
  lastAt: Date;
  resolvedAt: Date | null;
  absentAt: Date | null;
}

export interface HostAddress {
  host: string;
  address: string;
}

/**
 * Selects the sightings of a host. Sightings without a source, from before sources were recorded,
 * count as sightings by the host's own source.
 */
const OF_HOST = `s.domain_key = h.domain_key and s.name = h.name and s.host = h.host
  and coalesce(s.source_id, h.source_id) = any($7::smallint[])`;
const FIRST_AT = 'coalesce(s.first_at, h.first_seen)';
const HOSTS = `
  from host h
  left join lateral (select max(observed_at) filter (where has_resolved is not false) as last_at,
      max(observed_at) filter (where has_resolved) as resolved_at, min(observed_at) filter (where ${isSeenHost('s')}) as first_at
    from host_sighting s
    where ${OF_HOST}) s on true
  where h.domain_key = $1 and h.name = $2 and h.host not like '*%'
    and ${FIRST_AT} >= $3 and ${FIRST_AT} < $4 and (s.first_at is not null
      or (h.source_id = any($7::smallint[]) and h.source_id <> ${LOOKUPS_SOURCE}))
    and ($6::text is null or coalesce(s.resolved_at >= $5, false) = ($6 = 'active'))`;

@Injectable()
export class SubdomainsRepository {
  constructor(private readonly database: SearchDatabase) {}

  /** Lists hosts in the order of their names. @param after the last host of the previous page. */
  async list(asked: HostsAsked, { limit, offset, after }: PagePlace): Promise<HostRow[]> {
    return this.database.query(
      `select h.host, ${FIRST_AT} as "firstAt", greatest(${FIRST_AT}, s.last_at) as "lastAt",
         s.resolved_at as "resolvedAt",
         (select min(n.observed_at) from host_sighting n
          where ${OF_HOST.replaceAll('s.', 'n.')} and n.has_resolved = false and n.observed_at > s.resolved_at) as "absentAt"
       ${HOSTS} and h.host > $8 order by h.host limit $9 offset $10`,
      [...valuesOf(asked), after?.[0] ?? '', limit, offset],
    );
  }

  async count(asked: HostsAsked): Promise<number> {
    const [row] = await this.database.query<{ records: number }>(
      countOf(`select 1 ${HOSTS}`),
      valuesOf(asked),
    );
    return row.records;
  }

  async listWildcards(
    name: FiledName,
    sourceIds: readonly number[],
    limit: number,
  ): Promise<HostAddress[]> {
    return this.database.query(
      `select host, host(ip) as address from ${ADDRESSES} and host like '*%'
       order by host, ip limit $4`,
      [name.key, name.name, sourceIds, limit],
    );
  }

  async listAddresses(
    {
      name,
      sourceIds,
      hosts,
    }: Pick<HostsAsked, 'name' | 'sourceIds'> & { hosts: readonly string[] },
    limit: number,
  ): Promise<HostAddress[]> {
    return this.database.query(
      `select host, host(ip) as address from ${ADDRESSES} and host = any($4::text[])
       order by host, ip limit $5`,
      [name.key, name.name, sourceIds, hosts, limit],
    );
  }
}

const ADDRESSES = `dns_span s where domain_key = $1 and name = $2 and ip is not null
  and until is null and ${isSeenBy('s', '$3')}`;

function valuesOf(asked: HostsAsked): unknown[] {
  const { name, from, to, activeSince, status, sourceIds } = asked;
  return [name.key, name.name, from, to, activeSince, status, sourceIds];
}
