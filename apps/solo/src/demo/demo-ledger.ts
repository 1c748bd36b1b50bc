import { withClient } from '#libs/database';
import { type Clock, DAY_MS, newId } from '#libs/platform';
import type { DemoCost } from './demo-usage.js';

/**
 * The grant, which is booked before the first invented request, because that request uses the credits. A repeated
 * grant with the same id counts once.
 */
const GRANT = {
  adjustmentId: '0197c000-0000-7000-8000-000000000002',
  amount: 20_000,
  reason: 'For trying out',
};
const PRIORITY = 20;

/**
 * Books credits that the demo account got and used on past days, because the services book only the current day. A
 * repeated call books nothing. Rows are only added, as the ledger requires, and the auditor accepts these rows.
 * @param owner URL of the role that owns entitlement's tables.
 * @param costs the costs of past days, oldest first.
 */
export async function seedPastUse(
  owner: string,
  accountId: string,
  costs: readonly DemoCost[],
  clock: Clock,
): Promise<void> {
  const { adjustmentId, amount, reason } = GRANT;
  const [first = { day: clock.now().toISOString().slice(0, 10) }] = costs;
  const given = new Date(Date.parse(first.day) - DAY_MS);
  const used = costs.reduce((sum, { credits }) => sum + credits, 0);
  await withClient(owner, async (client) => {
    await client.query('begin');
    await client.query('set local search_path to entitlement');
    const { rows } = await client.query<{ available: string }>(LOCK, [accountId]);
    const { rowCount } = await client.query(ADJUST, [
      adjustmentId,
      accountId,
      amount,
      reason,
      given,
    ]);
    if (rowCount === 0) return;
    const grantId = newId();
    const grant = [grantId, accountId, adjustmentId, PRIORITY, amount, amount - used, used, given];
    await client.query(ADD_GRANT, grant);
    let available = Number(rows[0].available) + amount;
    const book = async (kind: string, reference: string, at: Date, moves: [string, number][]) => {
      const id = newId();
      await client.query(ADD_TRANSFER, [id, accountId, kind, reference, available, at]);
      await client.query(ADD_ENTRIES, [
        id,
        accountId,
        grantId,
        moves.map(([name]) => name),
        moves.map(([, credits]) => credits),
      ]);
      return id;
    };
    let last = await book('grant', `operator:${adjustmentId}:0`, given, [
      ['issued', -amount],
      ['available', amount],
    ]);
    for (const { day, operation, credits } of costs) {
      available -= credits;
      last = await book(
        'consume',
        `hold:demo-usage:${day}:${operation}`,
        new Date(`${day}T20:00Z`),
        [
          ['available', -credits],
          ['consumed', credits],
        ],
      );
      await client.query(ADD_USE, [newId(), accountId, day, operation, credits]);
    }
    await client.query(MOVE_ON, [accountId, available, last]);
    await client.query('commit');
  });
}

const LOCK = 'select available from credit_accounts where id = $1 for update';

const ADJUST = `
  insert into operator_adjustments (id, account_id, amount, reason, made_at)
  values ($1, $2, $3, $4, $5) on conflict (id) do nothing`;

const ADD_GRANT = `
  insert into credit_grants (id, account_id, source_type, source_id, source_index, priority, granted,
    available, consumed, issued_at)
  values ($1, $2, 'operator', $3, 0, $4, $5, $6, $7, $8)`;

const ADD_TRANSFER = `
  insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at)
  values ($1, $2, $3, $4, $5, $6)`;

const ADD_ENTRIES = `
  insert into ledger_entries (transfer_id, position, account_id, grant_id, ledger_account, amount)
  select $1, place - 1, $2, $3, name, amount
  from unnest($4::text[], $5::bigint[]) with ordinality as moves(name, amount, place)`;

const ADD_USE = `
  insert into used_credits (id, account_id, day, operation, credits) values ($1, $2, $3, $4, $5)`;

const MOVE_ON = `
  update credit_accounts set available = $2, last_transfer_id = $3 where id = $1`;
