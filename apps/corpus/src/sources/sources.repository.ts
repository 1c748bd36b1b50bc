import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { RankedSources, Source } from './source.js';

export interface Batch {
  id: string;
  sourceId: number;
  /** What the batch lists completely, such as `zone com`; undefined if nothing. */
  scope?: string;
  isComplete?: boolean;
  observedAt: Date;
  loadedAt: Date;
  rows: number;
  badRows?: number;
  newNames: number;
  changedNames: number;
}

export interface SourceCount {
  observations: number;
  firstAt: Date;
  lastAt: Date;
  now: Date;
}

const COLUMNS = [
  'id',
  'sourceId',
  'scope',
  'isComplete',
  'observedAt',
  'loadedAt',
  'rows',
  'badRows',
  'newNames',
  'changedNames',
] as const satisfies (keyof Batch)[];

@Injectable()
export class SourcesRepository {
  async find(transaction: Transaction, name: string): Promise<number | undefined> {
    const [row] = await transaction.query<{ id: number }>('select id from source where name = $1', [
      name,
    ]);
    return row?.id;
  }

  /**
   * Adds a source under the next free number.
   * @returns its id; the existing id if the name is in use.
   */
  async add(transaction: Transaction, source: Omit<Source, 'id'>, now: Date): Promise<number> {
    await transaction.query(`select pg_advisory_xact_lock(hashtext('corpus.sources'))`);
    const { name, kind, isShown, isSold, isLookedUp, isGenerated } = source;
    const [row] = await transaction.query<{ id: number }>(
      `insert into source (id, name, kind, is_shown, is_sold, is_looked_up, is_generated, created_at)
       select coalesce(max(id), 0) + 1, $1, $2, $3, $4, $5, $6, $7 from source
       on conflict (name) do update set name = excluded.name
       returning id`,
      [name, kind, isShown, isSold, isLookedUp, isGenerated, now],
    );
    return row.id;
  }

  /**
   * Returns the sources with fewer rights than a given one, and those with more; generated data is left out. A source
   * takes over data that a source with fewer rights delivered first, but not data of a source with more rights.
   */
  async listRanked(transaction: Transaction, id: number): Promise<RankedSources> {
    const rows = await transaction.query<
      { id: number } & Record<'isOutranked' | 'isUnsold' | 'isUnshown', boolean>
    >(
      `select o.id, (n.is_shown, n.is_sold) > (o.is_shown, o.is_sold) as "isOutranked",
         n.is_sold and not o.is_sold as "isUnsold", n.is_shown and not o.is_shown and o.removed_at is null as "isUnshown"
       from source o join source n on n.id = $1
       where not o.is_generated and (n.is_shown, n.is_sold) <> (o.is_shown, o.is_sold)`,
      [id],
    );
    const [outranked, outranking] = [true, false].map((wanted) =>
      rows.filter(({ isOutranked }) => isOutranked === wanted).map(({ id: other }) => other),
    );
    const unsold = rows.filter(({ isUnsold }) => isUnsold).map(({ id: other }) => other);
    return {
      outranked,
      outranking,
      unsold: unsold.filter((other) => outranked.includes(other)),
      unshown: rows.filter(({ isUnshown }) => isUnshown).map(({ id: other }) => other),
      isSold: unsold.length > 0,
    };
  }

  async isRemoved(transaction: Transaction, id: number): Promise<boolean> {
    const rows = await transaction.query(
      'select from source where id = $1 and removed_at is not null',
      [id],
    );
    return rows.length > 0;
  }

  /** Whether another source has a newer complete list under a scope. */
  async hasNewerList(
    transaction: Transaction,
    { sourceId, at, scope }: { sourceId: number; at: Date; scope: string },
  ): Promise<boolean> {
    const rows = await transaction.query(
      `select from source s where s.id <> $1 and exists (
         select from source_batch b where b.source_id = s.id and b.scope = $2 and b.is_complete
           and b.observed_at > $3)`,
      [sourceId, scope, at],
    );
    return rows.length > 0;
  }

  async count(
    transaction: Transaction,
    id: number,
    { observations, firstAt, lastAt, now }: SourceCount,
  ): Promise<void> {
    await transaction.query(
      `insert into source_total as t (source_id, observations, first_at, last_at, updated_at)
       values ($1, $2, $3, $4, $5)
       on conflict (source_id) do update set
         observations = t.observations + excluded.observations,
         first_at = least(t.first_at, excluded.first_at),
         last_at = greatest(t.last_at, excluded.last_at),
         updated_at = greatest(t.updated_at, excluded.updated_at)`,
      [id, observations, firstAt, lastAt, now],
    );
  }

  async remove(transaction: Transaction, id: number): Promise<void> {
    await transaction.query('delete from source_batch where source_id = $1', [id]);
    await transaction.query('delete from source where id = $1', [id]);
  }

  async addBatch(transaction: Transaction, batch: Batch): Promise<void> {
    const { scope = null, isComplete = false, badRows = 0 } = batch;
    const row = { ...batch, scope, isComplete, badRows };
    await transaction.query(
      `insert into source_batch (id, source_id, scope, is_complete, observed_at, loaded_at, rows,
         bad_rows, new_names, changed_names)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      COLUMNS.map((column) => row[column]),
    );
  }
}
