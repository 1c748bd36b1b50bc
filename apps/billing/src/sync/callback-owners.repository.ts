import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ObjectRef } from './processor-objects.repository.js';

/** Callbacks arrive before anybody knows whose they are. */
@Injectable()
export class CallbackOwnersMaintenanceRepository {
  /** Says of the callbacks about an object whose it is. */
  async set(transaction: Transaction, { processor, id }: ObjectRef): Promise<void> {
    await transaction.execute(
      `update callbacks c set account_id = owner.account_id
       from (select account_id from orders where processor = $1 and checkout_id = $2
         union all select account_id from payments where processor = $1 and external_id = $2
         union all select account_id from payments where processor = $1 and bill_id = $2
         union all select account_id from subscriptions where processor = $1 and external_id = $2
         union all select account_id from reversals where processor = $1
           and cause in ('refund', 'dispute') and external_id = $2
         limit 1) owner
       where c.processor = $1 and c.external_id = $2 and c.account_id is null`,
      [processor, id],
    );
  }
}
