import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { Database } from '#libs/database';

/** What can be named by a callback: the account's objects at processors. */
const OBJECTS = `
  select processor, checkout_id as external_id from orders
    where account_id = $1 and checkout_id is not null
  union select processor, external_id from payments where account_id = $1
  union select processor, bill_id from payments where account_id = $1 and bill_id is not null
  union select processor, external_id from subscriptions where account_id = $1
  union select processor, external_id from reversals
    where account_id = $1 and external_id is not null`;

const MONEY = (micros: string) => `trim(to_char(${micros} / 1000000.0, 'FM999999999990.00'))`;

const ENTRIES = `
  select created_at as at, 'order' as kind,
    concat_ws(' ', 'ordered', ${MONEY('amount_micros')}, currency, 'by', processor) || ', now '
      || state as text, id::text as id
  from orders where account_id = $1
  union all
  select confirmed_at, 'payment', concat_ws(' ', 'paid', ${MONEY('amount_micros')}, currency, 'by',
    processor, external_id), id::text
  from payments where account_id = $1
  union all
  select created_at, cause, concat_ws(' ', scope, ${MONEY('amount_micros')}, 'of payment', payment_id)
    || ', now ' || state || coalesce(': ' || reason, ''), id::text
  from reversals where account_id = $1
  union all
  select created_at, 'subscription', concat_ws(' ', 'began', sku, interval, 'by', processor, external_id)
    || ', now ' || state, id::text
  from subscriptions where account_id = $1
  union all
  select issued_at, 'invoice', replace(kind, '_', ' ') || ' ' || series || '-'
    || lpad(number::text, 6, '0') || ' of ' || ${MONEY('total_micros')} || ' ' || currency, id::text
  from invoices where account_id = $1
  union all
  select mailed_at, 'notice', about, about from mailed_notices where account_id = $1
  union all
  select date_trunc('milliseconds', created_at), 'mail', state || coalesce(': ' || subject, '') || coalesce(' (' || reason || ')', ''),
    id::text
  from mail where account_id = $1
  union all
  select c.received_at, 'callback', concat_ws(' ', c.processor, c.type, c.external_id)
    || case c.source when 'listing' then ', found by looking' else '' end, c.id::text
  from (${OBJECTS}) o
  join callbacks c on c.processor = o.processor and c.external_id = o.external_id
  union all
  select changed_at, 'account', 'billing heard that it is ' || state, account_id::text
  from account_states where account_id = $1`;

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /** Newest first, with all that share the last one's time. */
  async list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> {
    return this.database.query<TimelineRow>(
      `select at, kind, text, id from (${ENTRIES}) e where at < $2
       order by at desc fetch first $3 rows with ties`,
      [accountId, before, limit],
    );
  }
}
