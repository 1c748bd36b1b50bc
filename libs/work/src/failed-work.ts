import type { SqlRunner } from './work.repository.js';

/** Work whose latest attempt failed. It is retried automatically while it is `waiting`, but not once it is `dead`. */
export interface FailedItem {
  id: string;
  queue: string;
  name: string;
  state: 'waiting' | 'dead';
  tries: number;
  reason: string;
  addedAt: Date;
}

const SHOWN_MAX = 200;
const IS_FAILED = `state in ('waiting', 'dead') and reason is not null and id = coalesce($1::uuid, id)`;

/** The failed work in all queues of a schema, for operators. */
export class FailedWork {
  /** @param runner the database of a service. */
  constructor(private readonly runner: SqlRunner) {}

  /**
   * Lists the item with this id, or up to 200 items: dead ones first, then the oldest. Empty for a schema without
   * queues.
   */
  async list(id?: string): Promise<FailedItem[]> {
    const [{ isThere }] = await this.runner.query<{ isThere: boolean }>(
      `select to_regclass('work') is not null as "isThere"`,
    );
    if (!isThere) return [];
    return this.runner.query<FailedItem>(
      `select id, queue, name, state, tries, reason, added_at as "addedAt" from work
       where ${IS_FAILED} order by state, id limit $2`,
      [id ?? null, SHOWN_MAX],
    );
  }

  /** Makes the item with this id due, or all failed work. @returns the number of items. */
  async redrive(id?: string): Promise<number> {
    const rows = await this.runner.query(
      `update work set state = 'ready', tries = 0, until = clock_timestamp()
       where ${IS_FAILED} returning id`,
      [id ?? null],
    );
    return rows.length;
  }

  /** Deletes an item. @returns false if there is no failed work with this id. */
  async discard(id: string): Promise<boolean> {
    const rows = await this.runner.query(`delete from work where ${IS_FAILED} returning id`, [id]);
    return rows.length === 1;
  }
}
