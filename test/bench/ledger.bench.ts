import type { EntitlementClient, LeaseUse } from '#libs/contracts';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { type BenchReport, type BenchRow, openPostgres } from './bench.js';
import { cleanup } from './cleanup.js';

const RATES = [1, 5, 50];
const CUSTOMERS = 20;
/** The duration of the simulated traffic in seconds. */
const SECONDS = 60;
const CREDITS = 1_000_000;
const GATEWAY = 'gateway-1';
/** Acts as a gateway: it leases credits for half a minute, and settles after every 100 ms in which some were used. */
const AHEAD_SECONDS = 30;
const [WANTED_MIN, WANTED_MAX] = [10, 1_000];
const TICKS_PER_SECOND = 10;

/** `npm run bench ledger`: the bytes that a charged request writes, for customers with different request rates. */
export async function measure(): Promise<BenchReport> {
  await openPostgres();
  const entitlement = await EntitlementUnderTest.start(new Date().toISOString());
  cleanup.add(() => entitlement.stop());
  const rows: BenchRow[] = [];
  for (const rate of RATES) {
    const accountIds = Array.from({ length: CUSTOMERS }, () => newId());
    for (const accountId of accountIds) await entitlement.buy(accountId, CREDITS);
    const before = await written(entitlement);
    await charge(entitlement, accountIds, rate);
    const after = await written(entitlement);
    const charges = CUSTOMERS * SECONDS * rate;
    const at = `a charged request at ${rate} req/s per customer`;
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
  return { title: 'ledger: what it writes', rows };
}

/** Sends a gateway's reports about its leases to entitlement, as fast as it answers. */
async function charge(
  { client }: EntitlementUnderTest,
  accountIds: string[],
  rate: number,
): Promise<void> {
  const customers = accountIds.map((accountId) => new Customer(client, accountId, rate));
  for (let tick = 0; tick < SECONDS * TICKS_PER_SECOND; tick++) {
    for (const customer of customers) await customer.tick();
    const used = customers.filter(({ isChanged }) => isChanged).map((customer) => customer.use());
    if (used.length > 0) await client.settle(GATEWAY, used);
    const spent = customers.flatMap((customer) => customer.spent.splice(0));
    if (spent.length > 0) await client.closeAll(spent);
  }
  const rest = customers.filter(({ hasLease }) => hasLease).map((customer) => customer.use());
  if (rest.length > 0) await client.closeAll(rest);
}

/** A customer's use at a gateway: one lease after another, each used up. */
class Customer {
  readonly spent: LeaseUse[] = [];
  isChanged = false;
  private lease?: { leaseId: string; amount: number; consumed: number };
  /** The fraction of a request that is due. */
  private due = 0;

  constructor(
    private readonly client: EntitlementClient,
    private readonly accountId: string,
    private readonly rate: number,
  ) {}

  get hasLease(): boolean {
    return this.lease !== undefined;
  }

  /** Charges the requests of one tick. */
  async tick(): Promise<void> {
    this.isChanged = false;
    for (this.due += this.rate / TICKS_PER_SECOND; this.due > 1 - 1e-9; this.due--) {
      this.lease ??= await this.acquire();
      this.lease.consumed++;
      this.isChanged = this.lease.consumed < this.lease.amount;
      if (this.isChanged) continue;
      this.spent.push(this.use());
      this.lease = undefined;
    }
  }

  use(): LeaseUse {
    const { leaseId, consumed } = this.lease!;
    return { accountId: this.accountId, leaseId, consumed };
  }

  private async acquire() {
    const leaseId = newId();
    const wanted = Math.max(WANTED_MIN, Math.min(WANTED_MAX, AHEAD_SECONDS * this.rate));
    const { accountId } = this;
    const name = { accountId, leaseId, gatewayId: GATEWAY };
    const answer = await this.client.acquire({ ...name, min: 1, wanted });
    if (answer.outcome !== 'granted') throw new Error(`a lease was ${answer.outcome}`);
    return { leaseId, amount: answer.amount, consumed: 0 };
  }
}

/** Bytes of WAL so far, bytes of the tables that grow with charges, and the number of transfers. */
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
