import { Injectable } from '@nestjs/common';
import type { TimelineRow } from '#libs/contracts';
import { Database } from '#libs/database';
import { EVENT_LINES } from '#libs/messaging';

/** The movements that matter to an operator: all except those of leases and holds. */
const NEWS = `
  select t.id, t.occurred_at as at, t.kind, t.reference, t.available_after
  from ledger_transfers t
  where t.account_id = $1 and t.occurred_at < $2
    and t.kind in ('grant', 'expire', 'revoke', 'reinstate', 'debt', 'repay', 'debt_cancel', 'repay_return')
  order by t.occurred_at desc fetch first $3 rows with ties`;

const ENTRIES = `
  select n.at, 'credits' as kind, concat_ws(' ', n.kind, moved.amount, n.reference) || ', then '
    || n.available_after || ' available' as text, n.id::text as id
  from (${NEWS}) n
  cross join lateral (select coalesce(
      sum(amount) filter (where amount > 0 and ledger_account not in ('debt', 'owed')),
      sum(amount) filter (where amount > 0)) as amount
    from ledger_entries where transfer_id = n.id) moved
  union all
  select from_at, 'block', cause || ' takes ' || array_to_string(blocks, ', ') || ': ' || reason, id::text
  from access_blocks where account_id = $1
  union all
  select to_at, 'block', cause || ' ends', id::text
  from access_blocks where account_id = $1 and to_at is not null
  union all
  select from_at, 'limit', name || ' is ' || value || ' until ' || until_at::text || ': ' || reason, id::text
  from allowance_overrides where account_id = $1
  union all
  select made_at, 'adjustment', 'granted ' || amount || ': ' || reason, id::text
  from operator_adjustments where account_id = $1
  union all
  select made_at, 'adjustment', 'revoked ' || revoked || ': ' || reason, id::text
  from operator_revocations where account_id = $1
  union all ${EVENT_LINES}`;

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  /** Lists `limit` entries, newest first, and all others with the same time as the last one. */
  async list(accountId: string, before: Date, limit: number): Promise<TimelineRow[]> {
    return this.database.query<TimelineRow>(
      `select at, kind, text, id from (${ENTRIES}) e where at < $2
       order by at desc fetch first $3 rows with ties`,
      [accountId, before, limit],
    );
  }
}
