import { Injectable } from '@nestjs/common';
import type { SetAsideAccount } from '#libs/contracts';
import { MaintenanceDatabase, type Transaction } from '#libs/database';

@Injectable()
export class DueAccountsRepository {
  constructor(private readonly maintenance: MaintenanceDatabase) {}

  /** Lists accounts with credits to issue or expire by now, longest overdue first, except those set aside. */
  async list(now: Date, limit: number): Promise<string[]> {
    const rows = await this.maintenance.query<{ id: string }>(
      `select id from credit_accounts c where next_due_at <= $1 and not exists (
         select from set_aside_accounts s where s.account_id = c.id and s.until > clock_timestamp())
       order by next_due_at limit $2`,
      [now, limit],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Sets an account aside for a minute. Each further time lasts a minute longer than the previous one, up to an hour.
   */
  async setAside(accountId: string, reason: string): Promise<void> {
    await this.maintenance.query(
      `insert into set_aside_accounts as s (account_id, until, reason)
       values ($1, clock_timestamp() + interval '1 minute', $2)
       on conflict (account_id) do update set reason = excluded.reason, failures = s.failures + 1,
         until = clock_timestamp() + least(60, s.failures + 1) * interval '1 minute'`,
      [accountId, reason],
    );
  }

  async deleteSetAside(transaction: Transaction, accountIds: string[]): Promise<void> {
    await transaction.query('delete from set_aside_accounts where account_id = any($1)', [
      accountIds,
    ]);
  }

  /** Deletes the entries of accounts that a request or an event has brought up to date in the meantime. */
  async deleteSolved(now: Date): Promise<void> {
    await this.maintenance.query(
      `delete from set_aside_accounts s where not exists (
         select from credit_accounts c where c.id = s.account_id and c.next_due_at <= $1)`,
      [now],
    );
  }

  async listSetAside(limit: number): Promise<SetAsideAccount[]> {
    return this.maintenance.query<SetAsideAccount>(
      `select account_id as "accountId", since, failures, reason from set_aside_accounts
       order by since limit $1`,
      [limit],
    );
  }
}
