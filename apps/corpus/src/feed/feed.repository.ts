import { Injectable } from '@nestjs/common';
import {
  type CorpusSource,
  HASH_DIGITS,
  type KeyRange,
  type NextNamesAsked,
  type SuppressionVersion,
} from '#libs/contracts';
import { columnsOf } from '#libs/database';
import { CorpusConfig } from '../corpus.config.js';
import type { Change } from '../observations/change.js';
import { FeedDatabase } from '../searches/search-database.js';
import { LOOKUPS_SOURCE } from '../sources/source.js';
import type { ChangesCursor } from './changes-cursor.js';

export type ChangeRow = Change & { sourceId: number; xid: string };

export interface ReadMoment {
  token: string;
  isStandby: boolean;
  snapshot: string;
  at: Date;
}

export interface NextNamesOf extends Required<KeyRange> {
  kind: NextNamesAsked['kind'];
  before: Date;
  sourceIds: readonly number[];
  after: { key: string; name: string };
  limit: number;
}

/** The next name or host, with its place in the order of all of them. */
export interface NextName {
  key: string;
  name: string;
  place: string;
  isDue: boolean;
}

interface NextHost {
  key: string;
  name: string;
  host: string;
  sourceId: number;
}

@Injectable()
export class FeedRepository {
  constructor(
    private readonly database: FeedDatabase,
    private readonly config: CorpusConfig,
  ) {}

  /**
   * Reads the changes after the cursor, and the server's time and snapshot, in one statement, so
   * that all agree.
   */
  async read(
    cursor: Omit<ChangesCursor, 'token' | 'at'>,
    limit: number,
  ): Promise<{ moment: ReadMoment; changes: ChangeRow[] }> {
    const { seen, until = null, xid, id, from } = cursor;
    const rows = await this.database.query<ReadMoment & { change: ChangeRow | null }>(CHANGES, [
      seen,
      until,
      xid,
      id,
      from,
      limit,
    ]);
    const { token, isStandby, snapshot, at } = rows[0];
    const changes = rows.flatMap(({ change }) => (change ? [change] : []));
    return { moment: { token, isStandby, snapshot, at }, changes };
  }

  async leastId(at: Date): Promise<string> {
    const [{ id }] = await this.database.query<{ id: string }>('select least_id($1) as id', [at]);
    return id;
  }

  async listSources(): Promise<CorpusSource[]> {
    return this.database.query(
      `select id, name, is_shown as "isShown", case when is_generated then $1 else is_sold end as "isSold",
         is_looked_up and not is_generated as "isLookedUp", is_generated as "isGenerated"
       from source order by id`,
      [this.config.isGeneratedSold],
    );
  }

  /**
   * Lists the names of the next part of a range, each with a flag that says whether a lookup is due. A name may be
   * looked up if one of the sources that list it permits this.
   */
  async listNext(asked: NextNamesOf): Promise<NextName[]> {
    const { kind, before, sourceIds, fromKey, toKey, after, limit } = asked;
    if (kind === 'host') return this.listNextHosts(asked);
    return this.database.query(
      `select d.domain_key as key, d.name, d.name as place,
         d.dropped_at is null and ${IS_LOOKED_UP} and not (${SEEN[kind]}) as "isDue"
       from domain d
       where d.domain_key between $1 and $2 and (d.domain_key, d.name) > ($3, $4)
       order by d.domain_key, d.name limit $7`,
      [fromKey, toKey, after.key, after.name, sourceIds, before, limit],
    );
  }

  /**
   * Lists hosts in the same way. A host is due unless somebody has looked lately whether it has an address. It may be
   * looked up if a source that permits this names it; that our own lookups have seen it is no permission.
   */
  private async listNextHosts(asked: NextNamesOf): Promise<NextName[]> {
    const { before, sourceIds, fromKey, toKey, after, limit } = asked;
    const [afterName, afterHost = ''] = after.name.split(' ');
    const page = await this.database.query<NextHost>(
      `select h.domain_key as key, h.name, h.host, h.source_id as "sourceId" from host h
       where h.domain_key between $1 and $2 and (h.domain_key, h.name, h.host) > ($3, $4, $5)
         and h.host not like '*%'
       order by h.domain_key, h.name, h.host limit $6`,
      [fromKey, toKey, after.key, afterName, afterHost, limit],
    );
    const columns = columnsOf(page, 'key', 'name', 'host', 'sourceId');
    const values = [...columns, sourceIds, before];
    const due = await this.database.query<Pick<NextHost, 'name' | 'host'>>(DUE_HOSTS, values);
    const dueNames = new Set(due.map(({ name, host }) => `${host}.${name}`));
    return page.map(({ key, name, host }) => ({
      key,
      name: `${host}.${name}`,
      place: `${name} ${host}`,
      isDue: dueNames.has(`${host}.${name}`),
    }));
  }

  async suppressionVersion(): Promise<SuppressionVersion> {
    const [versions] = await this.database.query<SuppressionVersion>(
      `select coalesce((select max(version) from suppression), 0)::float8 as version,
         coalesce((select max(version) from suppression where kind = 'domain'), 0)::float8 as domains`,
    );
    return versions;
  }

  /** Lists the suppressions after a version, oldest first. @param isDomains whether to list only suppressed domains. */
  async listSuppressed({
    after,
    isDomains,
    limit,
  }: {
    after: number;
    isDomains: boolean;
    limit: number;
  }): Promise<{ version: number; hash: string }[]> {
    return this.database.query(
      `select version::float8 as version, left(encode(hash, 'hex'), $4) as hash from suppression
       where version > $1 and ($2 = false or kind = 'domain') order by version limit $3`,
      [after, isDomains, limit, HASH_DIGITS],
    );
  }
}

const IS_LOOKED_UP = `(d.source_id = any($5::smallint[]) or d.listed_by = any($5::smallint[])
  or exists (select from name_source n
    where n.domain_key = d.domain_key and n.name = d.name and n.source_id = any($5::smallint[])))`;
const OF_NAME = 't.domain_key = d.domain_key and t.name = d.name and t.observed_at >= $6';
const SEEN = {
  whois: `exists (select from whois_revision t where ${OF_NAME})
    or exists (select from whois_confirmation t where ${OF_NAME})`,
  dns: `exists (select from dns_sighting t where ${OF_NAME} and t.host = '')`,
} as const;

const OF_HOST = 't.domain_key = d.domain_key and t.name = d.name and t.host = q.host';
// A statement of its own: in the one that reads a page of hosts, the planner would choose to read whole tables.
const DUE_HOSTS = `
  select name, host from (
    select d.name, q.host, (q.source_id = any($5::smallint[]) or exists (select from host_sighting t
        where ${OF_HOST} and t.source_id = any($5::smallint[]) and t.source_id <> ${LOOKUPS_SOURCE}))
      and not exists (select from host_sighting t
        where ${OF_HOST} and t.has_resolved is not null and t.observed_at >= $6) as is_due
    from unnest($1::bigint[], $2::text[], $3::text[], $4::smallint[]) as q (domain_key, name, host, source_id)
    join domain d on d.domain_key = q.domain_key and d.name = q.name and d.dropped_at is null) hosts
  where is_due`;

// Selects the changes that the previous snapshot could not see, by their transaction. A selection by id or time would
// miss late commits. The token is created as for the change feed in libs/messaging.
const CHANGES = `
  with now as materialized (
    select pg_current_snapshot() as snapshot, pg_is_in_recovery() as standby, clock_timestamp() as at,
           concat_ws('/', extract(epoch from pg_postmaster_start_time()),
                     (select oid from pg_database where datname = current_database()),
                     'change_event'::regclass::oid) as token)
  select now.token, now.standby as "isStandby", now.snapshot::text as snapshot, now.at, f.change
  from now left join lateral (
    select json_build_object('id', c.id, 'key', c.domain_key::text, 'name', c.name, 'kind', c.kind,
        'subject', c.subject, 'members', c.members, 'isFirst', c.is_first, 'isShownFirst', c.is_shown_first,
        'at', c.observed_at, 'sourceId', c.source_id, 'xid', c.xid::text) as change
    from change_event c
    where c.xid >= pg_snapshot_xmin($1::pg_snapshot)
      and not pg_visible_in_snapshot(c.xid, $1::pg_snapshot)
      and pg_visible_in_snapshot(c.xid, coalesce($2::pg_snapshot, now.snapshot))
      and (c.xid, c.id) > ($3::xid8, $4::uuid) and c.id >= $5::uuid and not c.is_repeated
    order by c.xid, c.id limit $6) f on true
  order by (f.change ->> 'xid')::xid8, f.change ->> 'id'`;
