import { Injectable } from '@nestjs/common';
import { Database, type Transaction, columnsOf } from '#libs/database';
import type { Key } from '../names/domain-key.js';
import type { Registration } from '../records/registration.js';

export interface NameOf {
  key: Key;
  name: string;
}

export interface TokenOf extends NameOf {
  termKey: Key;
}

/** Evidence of one kind that a source knows a name, with the time of the earliest evidence of this kind. */
export interface KnownBy extends NameOf {
  sourceId: number;
  at: Date;
}

export interface SeenRecord extends NameOf {
  sourceId: number;
  record: Registration;
}

const NAMES = `unnest($1::bigint[], $2::text[]) as q (domain_key, name)
  join domain d on d.domain_key = q.domain_key and d.name = q.name`;

/** The tables that show that a source knows a name, each with its time column. */
const EVIDENCE = [
  ['name_source', 'first_seen'],
  ['whois_revision', 'observed_at'],
  ['whois_confirmation', 'observed_at'],
  ['dns_sighting', 'observed_at'],
  ['dns_span', 'first_seen'],
  ['host', 'first_seen'],
  ['host_sighting', 'observed_at'],
]
  .map(
    ([table, at]) => `(select t.${at} as at from ${table} t
      where t.domain_key = d.domain_key and t.name = d.name and t.source_id = s.id
      order by t.${at} limit 1)`,
  )
  .join(' union all ');

/** Reads the names and values of removed sources, and assigns them to other sources. */
@Injectable()
export class RemovalsRepository {
  constructor(private readonly database: Database) {}

  async listPending(): Promise<number[]> {
    const rows = await this.database.query<{ id: number }>(
      'select id from source where removed_at is not null and handed_over_at is null order by id',
    );
    return rows.map(({ id }) => id);
  }

  /** Lists the sources that are neither removed nor generated, those with the most rights first. */
  async listHeirs(transaction: Transaction): Promise<number[]> {
    const rows = await transaction.query<{ id: number }>(
      `select id from source where removed_at is null and not is_generated
       order by is_shown desc, is_sold desc, id`,
    );
    return rows.map(({ id }) => id);
  }

  async countSlices(sourceId: number): Promise<number> {
    const [row] = await this.database.query<{ slices: number }>(
      'select handed_over_slices as slices from source where id = $1',
      [sourceId],
    );
    return row.slices;
  }

  async noteSlices(sourceId: number, slices: number): Promise<void> {
    await this.database.query('update source set handed_over_slices = $2 where id = $1', [
      sourceId,
      slices,
    ]);
  }

  async finish(sourceId: number, now: Date): Promise<void> {
    await this.database.query('update source set handed_over_at = $2 where id = $1', [
      sourceId,
      now,
    ]);
  }

  /** Lists the files that the source was importing when it was removed. */
  async listLoading(sourceId: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select id from import_file where source_id = $1 and state = 'loading'`,
      [sourceId],
    );
    return rows.map(({ id }) => id);
  }

  async countNames(): Promise<number> {
    const [{ names }] = await this.database.query<{ names: number }>(
      'select coalesce(sum(names), 0)::float8 as names from tld_names',
    );
    return names;
  }

  /**
   * Lists the names in a range of keys that belong to a source or are confirmed by it. Reads all names in the range,
   * because there is no index by source.
   */
  async listNames(sourceId: number, range: readonly [Key, Key]): Promise<NameOf[]> {
    return this.database.query(
      `select domain_key as key, name from domain
       where domain_key between $2 and $3 and (source_id = $1 or listed_by = $1)`,
      [sourceId, ...range],
    );
  }

  /** Lists the sources that know names, each with its earliest time by kind of evidence. */
  async listKnownBy(
    transaction: Transaction,
    names: readonly NameOf[],
    sourceIds: readonly number[],
  ): Promise<KnownBy[]> {
    return transaction.query(
      `select d.domain_key as key, d.name, s.id as "sourceId", e.at
       from ${NAMES} cross join unnest($3::smallint[]) as s (id) cross join lateral (${EVIDENCE}) e`,
      [...columnsOf(names, 'key', 'name'), sourceIds],
    );
  }

  async giveNames(
    transaction: Transaction,
    names: readonly KnownBy[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `update domain d set source_id = q.source_id, first_seen = q.at
       from unnest($1::bigint[], $2::text[], $3::smallint[], $4::timestamptz[])
         as q (domain_key, name, source_id, at)
       where d.domain_key = q.domain_key and d.name = q.name and d.source_id = $5`,
      [...columnsOf(names, 'key', 'name', 'sourceId', 'at'), sourceId],
    );
  }

  /**
   * Removes the source's confirmation of names, so that the next list of another source confirms
   * them.
   */
  async unlist(
    transaction: Transaction,
    names: readonly NameOf[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `update domain d set listed_by = null from unnest($1::bigint[], $2::text[]) as q (domain_key, name)
       where d.domain_key = q.domain_key and d.name = q.name and d.listed_by = $3`,
      [...columnsOf(names, 'key', 'name'), sourceId],
    );
  }

  async listTokens(sourceId: number, range: readonly [Key, Key]): Promise<TokenOf[]> {
    return this.database.query(
      `select term_key as "termKey", domain_key as key, name from contact_token
       where term_key between $2 and $3 and source_id = $1`,
      [sourceId, ...range],
    );
  }

  /** Lists complete records of names that sources have seen, including records that the sources only confirmed. */
  async listRecords(
    transaction: Transaction,
    names: readonly NameOf[],
    sourceIds: readonly number[],
  ): Promise<SeenRecord[]> {
    return transaction.query(
      `select d.domain_key as key, d.name, s.id as "sourceId", r.record
       from ${NAMES} cross join unnest($3::smallint[]) as s (id)
       join whois_revision r on r.domain_key = d.domain_key and r.name = d.name and r.is_complete
       where r.source_id = s.id or exists (select from whois_confirmation c
         where c.domain_key = r.domain_key and c.name = r.name and c.is_complete
           and c.state = r.state and c.source_id = s.id)`,
      [...columnsOf(names, 'key', 'name'), sourceIds],
    );
  }

  async giveTokens(
    transaction: Transaction,
    tokens: readonly (TokenOf & { sourceId: number })[],
    sourceId: number,
  ): Promise<void> {
    await transaction.query(
      `update contact_token t set source_id = q.source_id
       from unnest($1::bigint[], $2::bigint[], $3::text[], $4::smallint[])
         as q (term_key, domain_key, name, source_id)
       where t.term_key = q.term_key and t.domain_key = q.domain_key and t.name = q.name
         and t.source_id = $5`,
      [...columnsOf(tokens, 'termKey', 'key', 'name', 'sourceId'), sourceId],
    );
  }
}

/** Returns, for each name, the first heir that knows the name, with the heir's earliest time. */
export function bestOf(known: readonly KnownBy[], heirs: readonly number[]): KnownBy[] {
  const rank = new Map(heirs.map((id, place) => [id, place]));
  const best = new Map<string, KnownBy>();
  for (const one of known) {
    const other = best.get(one.name);
    const order = other ? rank.get(one.sourceId)! - rank.get(other.sourceId)! : -1;
    if (order < 0 || (order === 0 && one.at < other!.at)) best.set(one.name, one);
  }
  return [...best.values()];
}
