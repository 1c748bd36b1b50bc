import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

/** The items that are counted: each causes work, and an account can remove items and create new ones. */
export type CountedSubject = 'monitor tests' | 'replays' | 'upload lines' | 'uploads' | 'webhooks';

@Injectable()
export class DailyCountsRepository {
  async raise(
    transaction: Transaction,
    {
      accountId,
      subject,
      day,
      count: more,
    }: { accountId: string; subject: CountedSubject; day: string; count: number },
  ): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `insert into daily_counts as c (account_id, subject, day, count) values ($1, $2, $3::date, $4)
       on conflict (account_id, subject) do update
       set day = excluded.day, count = case when c.day = excluded.day then c.count + $4 else $4 end
       returning count`,
      [accountId, subject, day, more],
    );
    return count;
  }

  async delete(
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
