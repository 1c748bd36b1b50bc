import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock } from '#libs/platform';

/** Things that an account may remove and begin again, each of which costs work. */
export type CountedSubject = 'replays' | 'uploads' | 'webhooks';

/** How often accounts have begun things that they may remove at once, so that their number at a time is no limit. */
@Injectable()
export class DailyCountsRepository {
  constructor(private readonly clock: Clock) {}

  /** Counts one more. @returns how many there were on this day (UTC), with this one. */
  async count(
    transaction: Transaction,
    accountId: string,
    subject: CountedSubject,
  ): Promise<number> {
    const day = this.clock.now().toISOString().slice(0, 10);
    const [{ count }] = await transaction.query<{ count: number }>(
      `insert into daily_counts as c (account_id, subject, day, count) values ($1, $2, $3::date, 1)
       on conflict (account_id, subject) do update
       set day = excluded.day, count = case when c.day = excluded.day then c.count + 1 else 1 end
       returning count`,
      [accountId, subject, day],
    );
    return count;
  }

  async forget(
    transaction: Transaction,
    accountId: string,
    subjects: readonly CountedSubject[],
  ): Promise<void> {
    await transaction.query(
      'delete from daily_counts where account_id = $1 and subject = any($2)',
      [accountId, subjects],
    );
  }
}
