import { Injectable } from '@nestjs/common';
import type { LedgerChanges, LedgerLine } from '#libs/contracts';
import { Database, type Transaction } from '#libs/database';

/** The position from which the first page is read; it sorts after every line. */
const NEWEST = ['ffffffff-ffff-ffff-ffff-ffffffffffff', '~'];

/**
 * Maximum number of summed lines: five times as many as there can be if every operation is used on each of thirty days.
 */
const SUMMED_LINES_MAX = 10_000;

interface LineRow {
  id: string;
  at: Date;
  kind: LedgerLine['kind'];
  amount: string;
  reference: string;
  operation: string | null;
  day: string | null;
  /** What all lines of the account add up to. */
  booked: string;
}

/** A line with its place among all lines and among those of its day, the sum of that day, and the number of lines. */
interface RecentRow extends LineRow {
  onDay: string;
  place: number;
  placeOfDay: number;
  sum: string;
  read: number;
}

@Injectable()
export class StatementRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists lines of an account, newest first.
   * @param after the id and kind of the previous page's last line, and the credits before it, which the cursors of
   *   earlier releases lack; by default, the newest lines are listed.
   * @param reader the snapshot to read in, if the caller has one.
   */
  async listLines(
    accountId: string,
    after: readonly string[] = NEWEST,
    limit: number,
    reader: Pick<Transaction, 'query'> = this.database,
  ): Promise<LedgerLine[]> {
    const [id, kind, balance] = after;
    const rows = await reader.query<LineRow>(PAGE, [accountId, id, kind, limit]);
    return withBalances(rows, after === NEWEST ? rows.at(0)?.booked : balance);
  }

  /**
   * Lists the newest lines of an account, and sums the changes of each day from the given day (`YYYY-MM-DD`) on. The
   * lines are read once, because planning the statement takes longer than reading the lines.
   */
  async listRecent(
    transaction: Transaction,
    accountId: string,
    { from, limit }: { from: string; limit: number },
  ): Promise<{ ledger: LedgerLine[]; changes: LedgerChanges }> {
    const rows = await transaction.query<RecentRow>(RECENT, [
      accountId,
      ...NEWEST,
      SUMMED_LINES_MAX,
      limit,
    ]);
    const ends = rows.filter(({ placeOfDay }) => placeOfDay === 1);
    const days = ends
      .filter(({ onDay }) => onDay >= from)
      .map(({ onDay: day, sum }) => ({ day, amount: Number(sum) }))
      .toSorted((a, b) => (a.day < b.day ? 1 : -1));
    const isWhole = (rows[0]?.read ?? 0) < SUMMED_LINES_MAX || days.length < ends.length;
    return {
      ledger: withBalances(
        rows.filter(({ place }) => place <= limit),
        rows.at(0)?.booked,
      ),
      changes: { days, is_whole: isWhole },
    };
  }
}

/** @param newest the credits after the first row; undefined if they are unknown. */
function withBalances(rows: readonly LineRow[], newest: string | undefined): LedgerLine[] {
  let left = Number(newest);
  return rows.map((row) => {
    const balance = newest === undefined ? {} : { balance: String(left) };
    left -= Number(row.amount);
    return { ...toLine(row), ...balance };
  });
}

const toLine = ({ id, at, kind, amount, reference, operation, day }: LineRow): LedgerLine => ({
  id: `${id}.${kind}`,
  at: at.toISOString(),
  kind,
  amount,
  reference: shownReference(reference),
  ...(operation !== null && { operation }),
  ...(day !== null && { day }),
});

/** Hides the source of a trial. The source is a claim, which is derived from an address. */
function shownReference(reference: string): string {
  return reference.startsWith('trial:') ? 'trial' : reference;
}

/**
 * The lines of an account. A partial index finds the transfers that become lines. It omits movements between available,
 * reserved and consumed credits, because a busy account has a thousand lease movements for every movement of another
 * kind. `repay_return` becomes a line but is not in the index, so it is found by its kind. If a lease ends after its
 * grant, its unused credits move to `expired`, and the line names the grant.
 */
const LINES = `
  (select t.id, t.occurred_at as at, m.kind, m.amount, null as operation, null as day,
    case when t.reference like 'lease:%' or t.reference like 'hold:%' then (
      select min(concat_ws(':', g.source_type, g.source_id, g.source_index))
      from ledger_entries o join credit_grants g on g.id = o.grant_id
      where o.transfer_id = t.id and o.ledger_account in ('expired', 'revoked'))
    else t.reference end as reference
  from (
    (select distinct transfer_id as id, false as is_return from ledger_entries
     where account_id = $1 and transfer_id <= $2::uuid
       and ledger_account in ('issued', 'expired', 'revoked', 'owed')
     order by transfer_id desc)
    union all
    (select id, true from ledger_transfers
     where account_id = $1 and id <= $2::uuid and kind = 'repay_return' order by id desc)
    order by id desc) i
  join ledger_transfers t on t.id = i.id and (t.kind = 'repay_return') = i.is_return
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
  where m.amount <> 0 and (t.id, m.kind) < ($2::uuid, $3)
  order by t.id desc, m.kind desc limit $4)
  union all
  (select id, day::timestamp at time zone 'UTC', 'use', -credits, operation, to_char(day, 'YYYY-MM-DD'),
     operation
   from used_credits
   where account_id = $1 and id <= $2::uuid and (id, 'use') < ($2::uuid, $3)
   order by id desc limit $4)
  order by id desc, kind desc limit $4`;

/** The sum of all lines. Other grants have none of these credits, and a partial index leaves them out. */
const BOOKED = `
  (select coalesce(sum(available + reserved - owed), 0) from credit_grants
   where account_id = $1 and (available > 0 or reserved > 0 or owed > 0)) as booked`;

const PAGE = `select *, ${BOOKED} from (${LINES}) lines order by id desc, kind desc`;

const RECENT = `
  select *, ${BOOKED} from (
    select *, count(*) over ()::int as read, sum(amount) over (partition by "onDay") as sum,
      row_number() over (order by id desc, kind desc)::int as place,
      row_number() over (partition by "onDay" order by id desc, kind desc)::int as "placeOfDay"
    from (
      select *, coalesce(day, to_char(at at time zone 'UTC', 'YYYY-MM-DD')) as "onDay"
      from (${LINES}) lines) dated) placed
  where place <= $5 or "placeOfDay" = 1 order by place`;
