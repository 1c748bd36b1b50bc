import { LeaseReaperService } from '../../../apps/entitlement/src/leases/lease-reaper.service.js';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import type { BenchRow } from '../bench.js';
import { insertAccounts, writeRows } from './ledger-rows.js';

const LEASES = 100_000;
const CREDITS = 5_000;
/** Of each lease; of it, what was used. */
const [AMOUNT, REPORTED] = [10, 3];
const TARGET_S = 60;

/** A gateway dies with its journal and leaves a lease of each of its customers. */
export async function measure(entitlement: EntitlementUnderTest): Promise<BenchRow[]> {
  const boughtAt = new Date(Date.now() - 3_600_000);
  await writeRows(entitlement, async (client) => {
    await insertAccounts(client, { count: LEASES, credits: CREDITS, boughtAt });
    await leaveLeases(client);
  });
  const reaper = entitlement.service.app.get(LeaseReaperService);
  const startedAt = performance.now();
  const isOver = async () =>
    (await entitlement.database.query(`select from leases where state = 'open' limit 1`)).length ===
    0;
  // A round ends after half a minute, so that others have their turn.
  do await reaper.reap();
  while (!(await isOver()));
  const seconds = (performance.now() - startedAt) / 1000;
  const [{ consumed }] = await entitlement.database.query<{ consumed: string }>(
    'select sum(consumed) as consumed from credit_grants',
  );
  if (Number(consumed) !== LEASES * REPORTED) throw new Error(`${consumed} credits are consumed`);
  return [
    {
      what: `${LEASES} leases of a dead gateway, each of its own account, closed`,
      value: seconds,
      unit: 's',
      target: `≤ ${TARGET_S} s`,
      ok: seconds <= TARGET_S,
    },
  ];
}

async function leaveLeases(client: { query(sql: string, values: unknown[]): Promise<unknown> }) {
  const values = [LEASES, AMOUNT];
  const at = `clock_timestamp() - interval '10 minutes'`;
  await client.query(
    `insert into leases (account_id, lease_id, gateway_id, state, amount, reported, slices, expires_at)
     select pg_temp.account(n), pg_temp.id_at(${at}, 'lease ' || n), 'gone', 'open', $2, $3,
       jsonb_build_array(jsonb_build_object('grantId', pg_temp.grant_of(n), 'amount', $2::int,
         'consumed', 0, 'returned', 0, 'reclaimed', 0)),
       clock_timestamp() - interval '5 minutes'
     from generate_series(1, $1) n`,
    [...values, REPORTED],
  );
  await client.query(
    `with moved as (
       select n, pg_temp.account(n) as account_id, pg_temp.id_at(${at}, 'reserved ' || n) as id
       from generate_series(1, $1) n),
     transfers as (
       insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at)
       select id, account_id, 'reserve', 'lease', $3::int - $2::int, now() from moved),
     entries as (
       insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
       select id, position, account_id, ledger_account, pg_temp.grant_of(n), amount from moved
       cross join (values (0, 'available', -$2::int), (1, 'reserved', $2::int)) e (position, ledger_account, amount)),
     accounts as (
       update credit_accounts c set available = c.available - $2::int, last_transfer_id = moved.id
       from moved where c.id = moved.account_id)
     update credit_grants g set available = g.available - $2::int, reserved = $2::int
     from moved where g.account_id = moved.account_id`,
    [...values, CREDITS],
  );
}
