import type { Database, Transaction } from '#libs/database';

export type SqlRunner = Pick<Database, 'query'> | Pick<Transaction, 'query'>;

/** The account id that stands for work without an account. */
const NOBODY = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export interface WorkRow {
  id: string;
  name: string;
  payload: object;
  accountId?: string;
  group?: string;
  lane: number;
  cost: number;
  delaySeconds: number;
}

export interface Claim {
  id: string;
  /** The epoch, as a decimal string. */
  epoch: string;
}

export interface ClaimedWork<T = object> extends Claim {
  name: string;
  payload: T;
  accountId?: string;
  group?: string;
  tries: number;
  cost: number;
}

export interface ClaimRequest {
  limit: number;
  quantum: number;
  leaseMs: number;
}

export class WorkRepository {
  constructor(private readonly queue: string) {}

  /** Inserts rows. @returns the number of names that are new. */
  async insertAll(transaction: Transaction, rows: readonly WorkRow[]): Promise<number> {
    const written = await transaction.query(
      `insert into work ${ROWS} on conflict (queue, name) do nothing returning id`,
      this.parametersOf(rows),
    );
    return written.length;
  }

  /** Inserts a row, or makes the existing row due by the time of the new one; claimed work is done once more. */
  async want(transaction: Transaction, row: WorkRow): Promise<void> {
    await transaction.query(WANT, this.parametersOf([row]));
  }

  async claim(runner: SqlRunner, request: ClaimRequest): Promise<ClaimedWork[]> {
    const { limit, quantum, leaseMs } = request;
    const claimed = await runner.query<ClaimedWork>(CLAIM, [this.queue, limit, quantum, leaseMs]);
    return claimed.map(({ accountId, group, ...rest }) => ({
      ...rest,
      accountId: accountId === NOBODY ? undefined : accountId,
      group: group ?? undefined,
    }));
  }

  /** Renews leases. @returns the leases that are still held, and whether each one's work was cancelled. */
  async renew(
    runner: SqlRunner,
    claims: readonly Claim[],
    leaseMs: number,
  ): Promise<{ id: string; cancelled: boolean }[]> {
    const ids = claims.map(({ id }) => id);
    const epochs = claims.map(({ epoch }) => epoch);
    return runner.query(RENEW, [ids, epochs, leaseMs]);
  }

  /** Ends claimed work. @returns false if another claim has the work, or there is no claim. */
  async finish(runner: SqlRunner, { id, epoch }: Claim): Promise<boolean> {
    return (await runner.query(FINISH, [id, epoch])).length === 1;
  }

  /**
   * Puts work back, to be done after a wait, or at once if it was requested again. The attempt counts only if `isTry`.
   * @returns false if another claim has the work, or there is no claim.
   */
  async putBack(
    runner: SqlRunner,
    { id, epoch }: Claim,
    { waitMs, reason, isTry }: { waitMs: number; reason?: string; isTry: boolean },
  ): Promise<boolean> {
    const rows = await runner.query(PUT_BACK, [id, epoch, waitMs, reason ?? null, isTry ? 0 : 1]);
    return rows.length === 1;
  }

  /**
   * Marks work as dead, unless it was cancelled or requested again during its last attempt, in which case it is removed
   * or done once more. @returns false if it is not dead, or if another claim has the work, or there is no claim.
   */
  async putDead(runner: SqlRunner, { id, epoch }: Claim, reason: string): Promise<boolean> {
    const rows = await runner.query<{ state: string }>(PUT_DEAD, [id, epoch, reason]);
    return rows[0]?.state === 'dead';
  }

  /** Removes a group except claimed work, which is marked as cancelled. @returns how many were removed and marked. */
  async cancel(
    transaction: Transaction,
    group: string,
  ): Promise<{ removed: number; marked: number }> {
    // The first statement marks all rows of the group. It waits for a claim that commits in the meantime, so the second
    // statement sees that claim.
    const marked = await transaction.query(
      `update work set cancelled = true where id in (
         select id from work where queue = $1 and group_id = $2 order by id for update)
       returning id`,
      [this.queue, group],
    );
    const removed = await transaction.execute(
      `delete from work where queue = $1 and group_id = $2 and state <> 'claimed'`,
      [this.queue, group],
    );
    return { removed, marked: marked.length - removed };
  }

  async deleteOfAccount(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.query('delete from work where queue = $1 and account_id = $2', [
      this.queue,
      accountId,
    ]);
  }

  async countGroup(runner: SqlRunner, group: string): Promise<number> {
    const [{ count }] = await runner.query<{ count: number }>(
      'select count(*)::int as count from work where queue = $1 and group_id = $2',
      [this.queue, group],
    );
    return count;
  }

  async has(runner: SqlRunner, name: string): Promise<boolean> {
    const sql = 'select from work where queue = $1 and name = $2';
    return (await runner.query(sql, [this.queue, name])).length > 0;
  }

  async hasDueBesides(runner: SqlRunner, accountIds: readonly string[]): Promise<boolean> {
    return (await runner.query(HAS_DUE_BESIDES, [this.queue, accountIds])).length > 0;
  }

  async redrive(runner: SqlRunner, name: string): Promise<boolean> {
    const rows = await runner.query(
      `update work set state = 'ready', tries = 0, until = clock_timestamp()
       where queue = $1 and name = $2 and state <> 'claimed' returning id`,
      [this.queue, name],
    );
    return rows.length === 1;
  }

  async pause(runner: SqlRunner, pauseMs: number): Promise<void> {
    await runner.query(
      `insert into work_turn (queue, paused_until)
       values ($1, clock_timestamp() + $2 * interval '1 ms')
       on conflict (queue) do update set paused_until = excluded.paused_until`,
      [this.queue, pauseMs],
    );
  }

  private parametersOf(rows: readonly WorkRow[]): unknown[] {
    const column = <K>(read: (row: WorkRow) => K) => rows.map(read);
    return [
      this.queue,
      column(({ id }) => id),
      column(({ name }) => name),
      column(({ payload }) => JSON.stringify(payload)),
      column(({ accountId }) => accountId ?? NOBODY),
      column(({ group }) => group ?? null),
      column(({ lane }) => lane),
      column(({ cost }) => cost),
      column(({ delaySeconds }) => delaySeconds),
    ];
  }
}

const ROWS = `(queue, id, name, payload, account_id, group_id, lane, cost, state, until)
  select $1, n.id, n.name, n.payload::jsonb, n.account_id, n.group_id, n.lane, n.cost,
    case when n.delay > 0 then 'waiting' else 'ready' end,
    clock_timestamp() + n.delay * interval '1 s'
  from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::smallint[], $8::int[],
    $9::float8[]) as n (id, name, payload, account_id, group_id, lane, cost, delay)`;

const WANT = `
  insert into work as w ${ROWS}
  on conflict (queue, name) do update set
    again = w.state = 'claimed',
    tries = case when w.state = 'dead' then 0 else w.tries end,
    until = case when w.state = 'claimed' then w.until else least(w.until, excluded.until) end,
    state = case when w.state = 'claimed' then 'claimed'
      when w.state = 'waiting' and least(w.until, excluded.until) > clock_timestamp() then 'waiting'
      else 'ready' end`;

const CLAIM = `
  select id, epoch, name, payload, account_id as "accountId", group_id as "group", tries, cost
  from claim_work($1, $2, $3, $4 * interval '1 ms')`;

// Two conditions with an index each.
const HAS_DUE_BESIDES = `
  select where exists (
    select from work where queue = $1 and state = 'ready' and account_id <> all ($2::uuid[]))
  or exists (
    select from work where queue = $1 and state = 'waiting' and until <= statement_timestamp()
      and account_id <> all ($2::uuid[]))`;

const RENEW = `
  update work w set until = clock_timestamp() + $3 * interval '1 ms'
  from (
    select w.id from unnest($1::uuid[], $2::bigint[]) as held (id, epoch)
    join work w on w.id = held.id and w.epoch = held.epoch and w.state = 'claimed'
    order by w.id for update of w) as held
  where w.id = held.id returning w.id, w.cancelled`;

/**
 * Deletes the row. If the item was requested again while it was claimed, and not cancelled, inserts it again as ready.
 * The new row keeps the epoch, so that each claim still has its own.
 */
const FINISH = `
  with gone as (
    delete from work where id = $1 and epoch = $2 and state = 'claimed' returning *),
  again as (
    insert into work (id, queue, name, payload, account_id, group_id, lane, cost, state, until, epoch)
    select id, queue, name, payload, account_id, group_id, lane, cost, 'ready', clock_timestamp(), epoch
    from gone where again and not cancelled)
  select id from gone`;

/** Puts work back to wait. Cancelled work is due at once, and is then removed. */
const PUT_BACK = `
  update work set again = false, reason = $4, tries = tries - $5,
    state = case when again and not cancelled then 'ready' else 'waiting' end,
    until = clock_timestamp()
      + case when again or cancelled then interval '0' else $3 * interval '1 ms' end
  where id = $1 and epoch = $2 and state = 'claimed' returning id`;

const PUT_DEAD = `
  with gone as (
    delete from work where id = $1 and epoch = $2 and state = 'claimed' and cancelled)
  update work set again = false, reason = $3, tries = case when again then 0 else tries end,
    state = case when again then 'ready' else 'dead' end,
    until = case when again then clock_timestamp() else until end
  where id = $1 and epoch = $2 and state = 'claimed' and not cancelled returning state`;
