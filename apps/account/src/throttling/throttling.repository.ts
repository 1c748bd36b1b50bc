import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';

/**
 * Keeps counts of attempts. Counts must survive the rollback of a rejected request, so each is written by a separate
 * statement, outside the tables of accounts.
 */
@Injectable()
export class ThrottlingMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /** Counts one attempt. @returns the number of attempts in the window, and when the window began. */
  async count(
    subject: Buffer,
    now: Date,
    windowMs: number,
  ): Promise<{ count: number; since: Date }> {
    const [row] = await this.database.query<{ count: number; since: Date }>(
      `insert into attempts as a (subject, count, since, last_at) values ($1, 1, $2, $2)
       on conflict (subject) do update set
         count = case when a.since <= $3 then 1 else a.count + 1 end,
         since = case when a.since <= $3 then $2 else a.since end,
         last_at = $2
       returning count, since`,
      [subject, now, new Date(now.getTime() - windowMs)],
    );
    return row;
  }

  /**
   * Counts one attempt if enough time has passed since the last one: none for the first `free`
   * attempts, then 2, 4, 8 … seconds. Uses one statement, so that parallel attempts cannot all
   * pass.
   * @returns the number of attempts; undefined if this one is too early.
   */
  async countWithDelay(
    subject: Buffer,
    now: Date,
    limits: { free: number; delayMaxSeconds: number; forgetBefore: Date },
  ): Promise<number | undefined> {
    const [row] = await this.database.query<{ count: number }>(
      `insert into attempts as a (subject, count, since, last_at) values ($1, 1, $2, $2)
       on conflict (subject) do update set
         count = case when a.last_at <= $5 then 1 else a.count + 1 end, last_at = $2
       where a.count < $3 or a.last_at <= $5
          or a.last_at + make_interval(secs => least(power(2, least(a.count - $3 + 1, 20)), $4)) <= $2
       returning count`,
      [subject, now, limits.free, limits.delayMaxSeconds, limits.forgetBefore],
    );
    return row?.count;
  }

  async find(subject: Buffer): Promise<{ count: number; lastAt: Date } | null> {
    const [row] = await this.database.query<{ count: number; lastAt: Date }>(
      'select count, last_at as "lastAt" from attempts where subject = $1',
      [subject],
    );
    return row ?? null;
  }

  async giveBack(subject: Buffer): Promise<void> {
    await this.database.query(
      'update attempts set count = greatest(count - 1, 0) where subject = $1',
      [subject],
    );
  }

  async delete(subject: Buffer): Promise<void> {
    await this.database.query('delete from attempts where subject = $1', [subject]);
  }

  async deleteOlder(than: Date): Promise<void> {
    await this.database.query('delete from attempts where last_at < $1', [than]);
  }
}
