import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

@Injectable()
export class MailedNoticesRepository {
  /** @returns false if an e-mail about this occasion was queued before. */
  async insert(
    transaction: Transaction,
    accountId: string,
    { about, at }: { about: string; at: Date },
  ): Promise<boolean> {
    const count = await transaction.execute(
      `insert into mailed_notices (account_id, about, mailed_at) values ($1, $2, $3)
       on conflict (account_id, about) do nothing`,
      [accountId, about, at],
    );
    return count > 0;
  }
}
