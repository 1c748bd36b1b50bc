import { Injectable } from '@nestjs/common';
import type { LedgerChanges, LedgerLine } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';

/** The position from which the first page is read; it sorts after every line. */
const NEWEST = ['ffffffff-ffff-ffff-ffff-ffffffffffff', '~'];

/** Maximum number of summed lines: five times as many as thirty days with every operation can have. */
const SUMMED_LINES_MAX = 10_000;

interface LineRow {
  id: string;
  at: Date;
  kind: LedgerLine['kind'];
  amount: string;
  reference: string;
  operation: string | null;
  day: string | null;
}

@Injectable()
export class StatementRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists lines of an account, newest first.
   * @param before the last line of the previous page.
   * @param reader the snapshot to read in.
   */
  async listLines(
    accountId: string,
    before: readonly string[] = NEWEST,
    limit: number,
    reader: Pick<Transaction, 'query'> = this.database,
  ): Promise<LedgerLine[]> {
    const rows = await reader.query<LineRow>(LINES, [accountId, ...before, limit]);
    return rows.map(({ id, at, kind, amount, reference, operation, day }) => ({
      id: `${id}.${kind}`,
      at: at.toISOString(),
      kind,
      amount,
      reference: shownReference(reference),
      ...(operation !== null && { operation }),
      ...(day !== null && { day }),
    }));
  }

  async sumDays(accountId: string, from: string): Promise<LedgerChanges> {
    const rows = await this.database.query<{ day: string; amount: string; lines: string }>(
      `select coalesce(day, to_char(at at time zone 'UTC', 'YYYY-MM-DD')) as day,
         sum(amount) as amount, count(*) as lines
       from (${LINES}) newest group by 1 order by 1 desc`,
      [accountId, ...NEWEST, SUMMED_LINES_MAX],
    );
    const read = rows.reduce((sum, { lines }) => sum + Number(lines), 0);
    const days = rows
      .filter(({ day }) => day >= from)
      .map(({ day, amount }) => ({ day, amount: Number(amount) }));
    return { days, is_whole: read < SUMMED_LINES_MAX || days.length < rows.length };
  }
}

/** Hides the source of a trial. The source is a claim, which is derived from an address. */
function shownReference(reference: string): string {
  return reference.startsWith('trial:') ? 'trial' : reference;
}

/**
 * Returns SQL for the lines of accounts. A partial index finds the transfers that become lines. It omits movements
 * between available, reserved and consumed credits, because a busy account has a thousand lease movements for every
 * movement of another kind. `repay_return` becomes a line but is not in the index, so it is found by its kind. If a
 * lease ends after its grant, its unused credits move to `expired`, and the line names the grant.
 */
const LINES_OF = (ids: string, kinds: string) => `
  select t.id, t.occurred_at as at, m.kind, m.amount, null as operation, null as day,
    case when t.reference like 'lease:%' or t.reference like 'hold:%' then (
      select min(concat_ws(':', g.source_type, g.source_id, g.source_index))
      from ledger_entries o join credit_grants g on g.id = o.grant_id
      where o.transfer_id = t.id and o.ledger_account in ('expired', 'revoked'))
    else t.reference end as reference
  from (${ids}) i join ledger_transfers t on t.id = i.id
  cross join lateral (
    select coalesce(sum(amount) filter (where ledger_account = 'available'), 0) as available,
      coalesce(sum(amount) filter (where ledger_account = 'issued'), 0) as issued,
      coalesce(sum(amount) filter (where ledger_account = 'expired'), 0) as expired,
      coalesce(sum(amount) filter (where ledger_account = 'revoked'), 0) as revoked,
      coalesce(sum(amount) filter (where ledger_account = 'owed'), 0) as owed
    from ledger_entries where transfer_id = t.id) e
  cross join lateral (values
    ('grant', case when t.kind = 'grant' then -e.issued end),
    ('expiry', case when t.kind in ('expire', 'release', 'late_debit') then -e.expired end),
    ('refund', case when t.kind in ('revoke', 'reinstate') then -e.revoked - e.expired
      when t.kind = 'release' then -e.revoked
      when t.kind = 'repay_return' then e.available
      when t.kind in ('debt', 'debt_cancel') then -e.owed end)) m (kind, amount)
  where t.kind ${kinds} and m.amount <> 0 and (t.id, m.kind) < ($2::uuid, $3)
  order by t.id desc, m.kind desc limit $4`;

const LINES = `
  (${LINES_OF(
    `select distinct transfer_id as id from ledger_entries
     where account_id = $1 and transfer_id <= $2::uuid
       and ledger_account in ('issued', 'expired', 'revoked', 'owed')
     order by transfer_id desc`,
    `<> 'repay_return'`,
  )})
  union all
  (${LINES_OF(
    `select id from ledger_transfers
     where account_id = $1 and id <= $2::uuid and kind = 'repay_return' order by id desc`,
    `= 'repay_return'`,
  )})
  union all
  (select id, day::timestamp at time zone 'UTC', 'use', -credits, operation, to_char(day, 'YYYY-MM-DD'),
     operation
   from used_credits
   where account_id = $1 and id <= $2::uuid and (id, 'use') < ($2::uuid, $3)
   order by id desc limit $4)
  order by id desc, kind desc limit $4`;
