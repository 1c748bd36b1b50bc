import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { DAY_MS, MINUTE_MS } from '#libs/platform';
import { KEY_FIGURES, KEY_SUMS, isUncounted } from './hourly-counts.js';

/**
 * How far a row may be from today. Older rows are about to be dropped, and rows further in the future come from a clock
 * that was wrong.
 */
const FAR_MS = 80 * DAY_MS;
/** The time limit of a statement that deletes an account's counts of 13 months, by hour, key and operation. */
const COUNTS_LIMIT_MS = 2 * MINUTE_MS;

@Injectable()
export class LogMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Creates the partitions around a time. */
  async makePartitions(at: Date): Promise<void> {
    await this.database.query('select roll_partitions($1)', [at]);
  }

  /** Creates the partitions around today and around those of the given days that are at most 80 days away. */
  async makePartitionsOf(days: Iterable<string>, today: Date): Promise<void> {
    for (const at of [today, ...[...days].map((day) => new Date(day))]) {
      if (Math.abs(at.getTime() - today.getTime()) <= FAR_MS) await this.makePartitions(at);
    }
  }

  /**
   * Adds the rows written since the last call to the counts of their hours; late rows are included. Each row counts
   * once, because the counts and the position up to which rows are counted are written in one transaction.
   */
  async countNewRows(): Promise<void> {
    for (const [counted, count] of COUNTS) {
      await this.database.transaction(async (transaction) => {
        const [{ snapshot, highest }] = await transaction.query<{
          snapshot: string;
          highest: string;
        }>(`select snapshot::text, highest::text from ${counted} for update`);
        await transaction.query(count, [snapshot, highest]);
      });
    }
  }

  /**
   * Lists up to 1,000 accounts whose rows must be deleted, oldest erasure first. An erased account is listed again
   * every hour, because rows may arrive late.
   */
  async listErasures(): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `select account_id as id from log_erasures
       where erased_at is null or erased_at < clock_timestamp() - interval '1 hour'
       order by asked_at limit 1000`,
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Deletes the `limit` oldest rows of an account from the log, and any others with the same time as the last of them.
   * @returns the number of deleted rows.
   */
  async deleteRows(accountId: string, limit: number): Promise<number> {
    const [{ deleted }] = await this.database.query<{ deleted: number }>(DELETE_ROWS, [
      accountId,
      limit,
    ]);
    return deleted;
  }

  /** Deletes an account's counts, and records that none of its data is left. */
  async finishErasure(accountId: string): Promise<void> {
    await this.database.transaction(async (transaction) => {
      await transaction.limitStatements(COUNTS_LIMIT_MS);
      await transaction.query('delete from request_hours where account_id = $1', [accountId]);
      await transaction.query('delete from key_hours where account_id = $1', [accountId]);
      await transaction.query(
        'update log_erasures set erased_at = clock_timestamp() where account_id = $1',
        [accountId],
      );
    });
  }

  /** Deletes the records of old erasures that are complete, and for which no more rows can arrive. */
  async deleteErasures(olderThanMs: number): Promise<void> {
    await this.database.query(
      `delete from log_erasures
       where erased_at is not null and asked_at < clock_timestamp() - $1 * interval '1 ms'`,
      [olderThanMs],
    );
  }
}

/** The tables that store how far the log has been counted, each with the statement that counts further rows. */
const COUNTS = [
  [
    'counted_requests',
    countNewRows(
      'counted_requests',
      `insert into request_hours as h (account_id, hour, operation, status, requests, credits)
       select account_id, date_trunc('hour', at, 'UTC'), operation, status, sum(requests), sum(credits)
       from fresh group by 1, 2, 3, 4 order by 1, 2, 3, 4
       on conflict (account_id, hour, operation, status) do update set
         requests = h.requests + excluded.requests, credits = h.credits + excluded.credits`,
    ),
  ],
  [
    'counted_key_hours',
    countNewRows(
      'counted_key_hours',
      `insert into key_hours as h (account_id, hour, key_id, operation, ${KEY_FIGURES.join(', ')})
       select account_id, date_trunc('hour', at, 'UTC'), key_id, operation, ${KEY_SUMS}
       from fresh group by 1, 2, 3, 4 order by 1, 2, 3, 4
       on conflict (account_id, hour, key_id, operation) do update set
         ${KEY_FIGURES.map((name) => `${name} = h.${name} + excluded.${name}`).join(', ')}`,
    ),
  ],
] as const;

// This is one statement, so that the counted rows and the new snapshot belong to the same moment.
function countNewRows(counted: string, insert: string): string {
  return `
  with fresh as materialized (
    select account_id, key_id, at, operation, status, requests, credits, duration_ms, written_by
    from request_log
    where written_by >= least(pg_snapshot_xmin($1::pg_snapshot)::text::bigint, $2::bigint)
      and ${isUncounted('$1::pg_snapshot', '$2::bigint')}),
  counted as (${insert})
  update ${counted} set snapshot = pg_current_snapshot(),
    highest = greatest(highest, (select max(written_by) from fresh))`;
}

const DELETE_ROWS = `
  with old as (
    select max(at) as at from (
      select at from request_log where account_id = $1 order by at limit $2) first),
  gone as (
    delete from request_log where account_id = $1 and at <= (select at from old) returning 1)
  select count(*)::int as deleted from gone`;
