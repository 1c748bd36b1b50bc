import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import type { ObjectRef } from '../processor-sync/wanted-objects.js';

/** Accesses queues that services of the last release fill and process while they run beside this release. */
@Injectable()
export class OlderWorkRepository {
  /**
   * Takes invoices that no process is printing, including those whose printing has failed, because a new release may be
   * able to print them.
   */
  async takePrinting(
    transaction: Transaction,
    limit: number,
  ): Promise<{ accountId: string; id: string }[]> {
    return transaction.query(
      `delete from work_item where id in (
         select id from work_item
         where queue = 'print-invoices' and claimed_until < clock_timestamp()
         order by due_at limit $1 for update skip locked)
       returning payload ->> 'accountId' as "accountId", payload ->> 'invoiceId' as id`,
      [limit],
    );
  }

  /** Takes due objects that no process is fetching. The guard against outdated fetches is kept. */
  async takeObjects(transaction: Transaction, limit: number): Promise<ObjectRef[]> {
    return transaction.query(
      `update processor_objects set due_at = null, claimed_until = null, attempts = 0
       where (processor, kind, external_id) in (
         select processor, kind, external_id from processor_objects
         where due_at <= clock_timestamp()
           and (claimed_until is null or claimed_until < clock_timestamp())
         order by due_at limit $1 for update skip locked)
       returning processor, kind, external_id as id`,
      [limit],
    );
  }
}
