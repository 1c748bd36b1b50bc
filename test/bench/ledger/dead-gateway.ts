import { LeaseReaperService } from '../../../apps/entitlement/src/leases/lease-reaper.service.js';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { type BenchRow, atMost } from '../bench.js';
import { insertAccounts, insertLeases, writeRows } from './written-rows.js';

const LEASES = 100_000;
const CREDITS = 5_000;
const LEASE = { amount: 10, reported: 3 };
const TARGET_S = 60;

/** A gateway dies with its journal and leaves a lease of each of its customers. */
export async function measure(entitlement: EntitlementUnderTest): Promise<BenchRow[]> {
  const boughtAt = new Date(Date.now() - 3_600_000);
  await writeRows(entitlement, async (client) => {
    await insertAccounts(client, { count: LEASES, credits: CREDITS, boughtAt });
    await insertLeases(client, { count: LEASES, credits: CREDITS, ...LEASE, gatewayId: 'gone' });
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
  if (Number(consumed) !== LEASES * LEASE.reported)
    throw new Error(`${consumed} credits are consumed`);
  const what = `${LEASES} leases of a dead gateway, each of its own account, closed`;
  return [atMost(what, seconds, TARGET_S, 's')];
}
