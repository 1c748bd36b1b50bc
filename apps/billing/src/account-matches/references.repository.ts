import { Injectable } from '@nestjs/common';
import type { AccountMatch } from '#libs/contracts';
import { MaintenanceDatabase } from '#libs/database';

/** The processors to search. Each query names them, so that PostgreSQL can use the unique indexes. */
const PROCESSORS = ['stripe', 'paypal'];
const MATCHES_MAX = 50;

@Injectable()
export class ReferencesMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  async findById(id: string): Promise<AccountMatch[]> {
    return this.database.query(
      `select account_id as "accountId", 'order ' || id as matched from orders where id = $1
       union all select account_id, 'payment ' || id from payments where id = $1
       union all select account_id, 'payment line ' || id from payment_lines where id = $1
       union all select account_id, 'subscription ' || id from subscriptions where id = $1
       union all select account_id, cause || ' ' || id from reversals where id = $1
       union all select account_id, 'invoice ' || id from invoices where id = $1`,
      [id],
    );
  }

  async findByInvoice(series: string, number: number): Promise<AccountMatch[]> {
    return this.database.query(
      `select account_id as "accountId", replace(kind, '_', ' ') || ' ' || id as matched
       from invoices where series = $1 and number = $2`,
      [series, number],
    );
  }

  async findByProcessorId(id: string): Promise<AccountMatch[]> {
    return this.database.query(
      `select account_id as "accountId", 'order ' || id as matched from orders
       where processor = any($1) and checkout_id = $2
       union all select account_id, 'payment ' || id from payments
       where processor = any($1) and (external_id = $2 or bill_id = $2)
       union all select account_id, 'subscription ' || id from subscriptions
       where processor = any($1) and external_id = $2
       union all select account_id, cause || ' ' || id from reversals
       where processor = any($1) and cause in ('refund', 'dispute') and external_id = $2
       union all select account_id, 'customer of ' || processor from processor_customers
       where customer_id = $2
       limit $3`,
      [PROCESSORS, id, MATCHES_MAX],
    );
  }
}
