import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';

@Injectable()
export class ReservationsRepository {
  async sumUnusedOfLeases(transaction: Transaction, accountId: string): Promise<number> {
    const [{ unused }] = await transaction.query<{ unused: string }>(
      `select coalesce(sum(amount - reported), 0) as unused
       from leases where account_id = $1 and state = 'open'`,
      [accountId],
    );
    return Number(unused);
  }

  async recallLeases(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query(RECALL, [accountId]);
  }
}

// The leases are locked in the order in which settlements lock them.
const RECALL = `
  with locked as materialized (
    select lease_id from leases
    where account_id = $1 and state = 'open' and recalled_at is null
    order by lease_id for update)
  update leases l set recalled_at = clock_timestamp()
  from locked where l.lease_id = locked.lease_id and l.account_id = $1`;
