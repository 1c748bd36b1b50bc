import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import type { BenchRow } from '../bench.js';

const RATES = [1, 5, 50];
const CUSTOMERS = 20;
/** Of traffic, which is not waited for. */
const SECONDS = 60;
const CREDITS = 1_000_000;
const GATEWAY = 'gateway-1';
/** As a gateway: credits for half a minute, and a settlement each 100 ms in which something was used. */
const AHEAD_SECONDS = 30;
const [WANTED_MIN, WANTED_MAX] = [10, 1_000];
const TICKS_PER_SECOND = 10;

/** What is written of one charged request, by how busy its customer is. */
export async function measure(entitlement: EntitlementUnderTest): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const rate of RATES) {
    const accountIds = Array.from({ length: CUSTOMERS }, () => newId());
    for (const accountId of accountIds) await entitlement.buy(accountId, CREDITS);
    const before = await written(entitlement);
    await charge(entitlement, accountIds, rate);
    const after = await written(entitlement);
    const charges = CUSTOMERS * SECONDS * rate;
    const at = `a charged request at ${rate} req/s a customer`;
    rows.push(
      { what: `${at}, WAL`, value: (after.wal - before.wal) / charges, unit: 'bytes' },
      { what: `${at}, kept`, value: (after.kept - before.kept) / charges, unit: 'bytes' },
      {
        what: `${at}, transfers`,
        value: (after.transfers - before.transfers) / charges,
        unit: 'a charge',
      },
    );
  }
  return rows;
}

/** What a gateway's leases say to entitlement, as fast as it answers. */
async function charge(
  { client }: EntitlementUnderTest,
  accountIds: string[],
  rate: number,
): Promise<void> {
  const wanted = Math.max(WANTED_MIN, Math.min(WANTED_MAX, AHEAD_SECONDS * rate));
  const leases = new Map<string, { leaseId: string; left: number; consumed: number }>();
  const credit = new Map(accountIds.map((id) => [id, 0]));
  for (let tick = 0; tick < SECONDS * TICKS_PER_SECOND; tick++) {
    const uses = [];
    const spent = [];
    for (const accountId of accountIds) {
      let due = credit.get(accountId)! + rate / TICKS_PER_SECOND;
      for (; due >= 1 - 1e-9; due--) {
        let lease = leases.get(accountId);
        if (!lease) {
          const leaseId = newId();
          const answer = await client.acquire({
            accountId,
            leaseId,
            gatewayId: GATEWAY,
            min: 1,
            wanted,
          });
          if (answer.outcome !== 'granted') throw new Error(`a lease was ${answer.outcome}`);
          lease = { leaseId, left: answer.amount, consumed: 0 };
          leases.set(accountId, lease);
        }
        lease.consumed++;
        const { leaseId, consumed } = lease;
        if (consumed < lease.left) continue;
        spent.push({ accountId, leaseId, consumed });
        leases.delete(accountId);
      }
      credit.set(accountId, due);
      const lease = leases.get(accountId);
      // One that has used nothing in this tick is not told of.
      if (lease && rate >= 1 && lease.consumed > 0 && due < rate / TICKS_PER_SECOND) {
        uses.push({ accountId, leaseId: lease.leaseId, consumed: lease.consumed });
      }
    }
    if (uses.length > 0) await client.settle(GATEWAY, uses);
    if (spent.length > 0) await client.closeAll(spent);
  }
  const rest = [...leases].map(([accountId, { leaseId, consumed }]) => ({
    accountId,
    leaseId,
    consumed,
  }));
  if (rest.length > 0) await client.closeAll(rest);
}

/** Bytes of log so far, bytes of the tables that grow with charges, and transfers. */
async function written({ test }: EntitlementUnderTest) {
  return withClient(test.url(), async (client) => {
    const { rows } = await client.query<Record<'wal' | 'kept' | 'transfers', string>>(
      `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as wal,
         (select sum(pg_total_relation_size(oid)) from pg_class
          where relkind = 'r' and relnamespace = 'entitlement'::regnamespace
            and relname ~ '^(ledger_transfers|ledger_entries|leases)_') as kept,
         (select count(*) from entitlement.ledger_transfers) as transfers`,
    );
    const [{ wal, kept, transfers }] = rows;
    return { wal: Number(wal), kept: Number(kept), transfers: Number(transfers) };
  });
}
