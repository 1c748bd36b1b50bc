import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

export type AccountState = 'active' | 'deleted' | 'erased';

@Injectable()
export class AccountStatesRepository {
  async find(transaction: Transaction, accountId: string): Promise<AccountState> {
    const [row] = await transaction.query<{ state: AccountState }>(
      'select state from account_states where account_id = $1',
      [accountId],
    );
    return row?.state ?? 'active';
  }

  /**
   * Stores the state, except that an erased account stays erased. Events arrive in the order of their sequence numbers.
   * Their times may be out of order, because a clock may be set back.
   */
  async put(
    transaction: Transaction,
    accountId: string,
    change: { state: AccountState; at: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into account_states as s (account_id, state, changed_at) values ($1, $2, $3)
       on conflict (account_id) do update set state = $2, changed_at = $3
       where s.state <> 'erased'`,
      [accountId, change.state, change.at],
    );
  }

  async isSuspended(transaction: Transaction, accountId: string): Promise<boolean> {
    const rows = await transaction.query(
      'select from account_states where account_id = $1 and is_suspended',
      [accountId],
    );
    return rows.length > 0;
  }

  /** Stores whether an account is suspended, which is independent of the account's state. */
  async putSuspension(
    transaction: Transaction,
    accountId: string,
    { isSuspended, at }: { isSuspended: boolean; at: Date },
  ): Promise<void> {
    await transaction.query(
      `insert into account_states
         (account_id, state, changed_at, is_suspended, suspension_changed_at)
       values ($1, 'active', '-infinity', $2, $3)
       on conflict (account_id) do update set is_suspended = $2, suspension_changed_at = $3`,
      [accountId, isSuspended, at],
    );
  }
}
