import { Injectable } from '@nestjs/common';
import type { Database, Transaction } from '#libs/database';

export type AccountState = 'active' | 'deleted' | 'erased';

export interface AccountStanding {
  state: AccountState;
  isSuspended: boolean;
}

const UNKNOWN: AccountStanding = { state: 'active', isSuspended: false };

@Injectable()
export class AccountStatesRepository {
  /** Stores the state. An erased account stays erased, whatever the order of the events. */
  async putState(transaction: Transaction, accountId: string, state: AccountState): Promise<void> {
    await transaction.query(
      `insert into account_states (account_id, state) values ($1, $2)
       on conflict (account_id) do update set state = excluded.state
       where account_states.state <> 'erased'`,
      [accountId, state],
    );
  }

  async putSuspension(
    transaction: Transaction,
    accountId: string,
    isSuspended: boolean,
  ): Promise<void> {
    await transaction.query(
      `insert into account_states (account_id, is_suspended) values ($1, $2)
       on conflict (account_id) do update set is_suspended = excluded.is_suspended`,
      [accountId, isSuspended],
    );
  }

  async find(
    runner: Pick<Database, 'query'> | Transaction,
    accountId: string,
  ): Promise<AccountStanding> {
    const [row] = await runner.query<AccountStanding>(
      `select state, is_suspended as "isSuspended" from account_states where account_id = $1`,
      [accountId],
    );
    return row ?? UNKNOWN;
  }
}
