import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { Database } from '#libs/database';
import { EVENT_LINES } from '#libs/messaging';

const MONEY = (micros: string) => `trim(to_char(${micros} / 1000000.0, 'FM999999999990.00'))`;

/** The kind of the entries for cancellation reasons. The reasons themselves are encrypted. */
export const REASON = 'reason';

/** The parts of the query. Each is read through its own index up to the limit before the parts are merged. */
const PARTS = [
  part({
    at: 'created_at',
    kind: `'order'`,
    text: `concat_ws(' ', 'ordered', ${MONEY('amount_micros')}, currency, 'by', processor) || ', now '
      || state`,
    from: 'orders',
  }),
  part({
    at: 'confirmed_at',
    kind: `'payment'`,
    text: `concat_ws(' ', 'paid', ${MONEY('amount_micros')}, currency, 'by', processor, external_id)`,
    from: 'payments',
  }),
  part({
    at: 'created_at',
    kind: 'cause',
    text: `concat_ws(' ', scope, ${MONEY('amount_micros')}, 'of payment', payment_id)
      || ', now ' || state || coalesce(': ' || reason, '')`,
    from: 'reversals',
  }),
  part({
    at: 'created_at',
    kind: `'subscription'`,
    text: `concat_ws(' ', 'began', sku, interval, 'by', processor, external_id) || ', now ' || state`,
    from: 'subscriptions',
  }),
  part({
    at: 'said_at',
    kind: `'${REASON}'`,
    text: `'the customer’s reason for cancelling'`,
    from: 'cancellation_reasons',
    id: 'subscription_id',
  }),
  part({
    at: 'issued_at',
    kind: `'invoice'`,
    text: `replace(kind, '_', ' ') || ' ' || series || '-' || lpad(number::text, 6, '0') || ' of '
      || ${MONEY('total_micros')} || ' ' || currency`,
    from: 'invoices',
  }),
  part({
    at: 'mailed_at',
    kind: `'mail'`,
    text: `'written: ' || replace(replace(split_part(about, ':', 1), '_', ' '), 'invoice', 'receipt')`,
    from: 'mailed_notices',
    id: 'about',
  }),
  part({
    at: `date_trunc('milliseconds', created_at, 'UTC')`,
    kind: `'mail'`,
    text: `state || coalesce(': ' || subject, '') || coalesce(' (' || reason || ')', '')`,
    from: 'mail',
  }),
  part({
    at: 'received_at',
    kind: `'callback'`,
    text: `concat_ws(' ', processor, type, external_id)
      || case source when 'listing' then ', found by polling' else '' end`,
    from: 'callbacks',
  }),
  part({
    at: 'changed_at',
    kind: `'account'`,
    text: `'billing learned that it is ' || state`,
    // The time is -infinity if billing has only learned of suspensions of the account.
    from: `(select * from account_states where changed_at > '-infinity') changed`,
    id: 'account_id',
  }),
  part({
    at: 'suspension_changed_at',
    kind: `'account'`,
    text: `'billing learned that it is ' || case when is_suspended then 'suspended' else 'no longer suspended' end`,
    from: `(select * from account_states where suspension_changed_at > '-infinity') changed`,
    id: 'account_id',
  }),
  EVENT_LINES,
].join(' union all ');

interface TimelinePart {
  /** SQL for the time of an entry; `kind` and `text` are SQL too. */
  at: string;
  kind: string;
  text: string;
  from: string;
  /** The name of the column with the id; `id` if missing. */
  id?: string;
}

function part({ at, kind, text, from, id = 'id' }: TimelinePart): string {
  return `(select ${at} as at, ${kind} as kind, ${text} as text, ${id}::text as id from ${from}
    where account_id = $1 and ${at} < $2 order by ${at} desc fetch first $3 rows with ties)`;
}

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  async list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> {
    return this.database.query<TimelineRow>(
      `select at, kind, text, id from (${PARTS}) e
       order by at desc fetch first $3 rows with ties`,
      [accountId, before, limit],
    );
  }
}
