import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import {
  insertAccounts,
  insertLeases,
  shiftConsumed,
  withLedgerFunctions,
} from '../../entitlement/ledger-rows.js';
import { type InstallationScenario, type InstallationHarness, holds } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { killAndRestart } from '../environment/restart.js';
import { checkRest, underTraffic } from '../environment/traffic.js';
import { SESSION_MS } from './crash-points.js';

/** A round of the roll-up comes once a minute. */
const ROLL_UP_LIMIT_MS = 130_000;
const LEASES = 10_000;
const LEASE = { amount: 10, reported: 3 };
/** The reaper waits for two minutes after its start. */
const REAPER_WAIT_MS = 120_000;
const REAP_LIMIT_MS = 60_000;
const REORDERED_ACCOUNTS = 12;
const KILLS = 4;

export const ledgerRows: InstallationScenario[] = [
  {
    name: 'damaged account',
    fault: 'a grant of one account does not add up; then a gateway stops and gives its leases back',
    expectation: 'its lease alone is set aside, all others are settled; mended, it is booked',
    run: damagedAccount,
  },
  {
    name: 'roll-up locked',
    fault:
      'the log of requests and its hours are locked for 10 s (60 s with --long); a gateway is killed',
    expectation: 'lookups go on, the gateway is up again within 5 s, each row is counted once',
    isWaiting: true,
    run: rollUpLocked,
  },
  {
    name: 'billing reordered',
    fault:
      'payments, refunds and their undoing are told in any order and twice; entitlement is killed meanwhile',
    expectation: 'each account has what its money bought',
    run: billingReordered,
  },
  {
    name: 'dead gateway',
    fault: `a gateway is gone with its journal and leaves ${LEASES} leases`,
    expectation: 'they are closed within a minute, with what was reported, once',
    isAlone: true,
    run: deadGateway,
  },
];

async function damagedAccount(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const damaged = await installation.regular(1_000);
  const gateway = installation.process('gateway-1');
  const [origin] = installation.apiOrigins;
  const shift = async (by: number) =>
    withClient(installation.cluster.settings.superuserUrl, async (client) =>
      shiftConsumed(client, damaged.accountId, by),
    );
  await underTraffic(harness, { paymentsPerSecond: 0 }, async () => {
    await damaged.lookUp(origin);
    await shift(1);
    await gateway.stop();
    await gateway.start();
    const setAside = async () =>
      installation.sql<{ account_id: string }>(
        'select account_id from entitlement.leases where set_aside_until is not null',
      );
    const found = await eventually('the damaged lease to be set aside', async () => {
      const rows = await setAside();
      return rows.length > 0 ? rows : undefined;
    });
    const others = found.filter(({ account_id }) => account_id !== damaged.accountId);
    holds(others.length === 0, `${others.length} leases of sound accounts are set aside`);
    harness.count('leases set aside', found.length);
    await shift(-1);
    await installation.sql(
      `update entitlement.leases set set_aside_until = clock_timestamp(),
         expires_at = least(expires_at, clock_timestamp() - interval '61 seconds')
       where set_aside_until is not null`,
    );
    await eventually(
      'the mended lease to be booked',
      async () => (await setAside()).length === 0,
      REAPER_WAIT_MS + REAP_LIMIT_MS,
    );
    return {};
  });
}

async function rollUpLocked(harness: InstallationHarness): Promise<void> {
  const { installation, pauseMs } = harness;
  const gateway = installation.process('gateway-2');
  const killedAt: number[] = [];
  await underTraffic(harness, { paymentsPerSecond: 0 }, async () => {
    await withClient(installation.cluster.settings.superuserUrl, async (client) => {
      await client.query('begin');
      await client.query(`lock gateway.request_log, gateway.request_hours, gateway.counted_requests
        in access exclusive mode`);
      const lockedAt = performance.now();
      killedAt.push(await killAndRestart(gateway, harness));
      await sleep(Math.max(0, pauseMs - (performance.now() - lockedAt)));
      await client.query('rollback');
    });
    return { gatewayKillsAt: killedAt };
  });
  await eventually(
    'every row to be counted once',
    async () => {
      const [{ logged, counted }] = await installation.sql<{ logged: number; counted: number }>(
        `select (select count(*)::int from gateway.request_log) as logged,
           (select coalesce(sum(requests), 0)::int from gateway.request_hours) as counted`,
      );
      if (logged === counted) return true;
      throw new Error(`${logged} rows, ${counted} counted`);
    },
    ROLL_UP_LIMIT_MS,
  );
}

/** The facts of one package: paid, half refunded, and sometimes the refund failed. */
async function billingReordered(harness: InstallationHarness): Promise<void> {
  const { installation, random } = harness;
  const entitlement = installation.process('entitlement');
  const customers = [];
  for (let n = 0; n < REORDERED_ACCOUNTS; n++) customers.push(installation.newCustomer());
  await Promise.all(customers.map((customer) => customer.join()));
  for (const { accountId } of customers) await installation.checker.registered(accountId);
  const expected = new Map<string, number>();
  const telling = Promise.all(
    customers.map(async ({ accountId }) => {
      const isUndone = random.between(0, 1) === 1;
      const told = await installation.payInAnyOrder(accountId, { random, isUndone });
      expected.set(accountId, told.available);
    }),
  );
  const killedAt: number[] = [];
  for (let n = 0; n < KILLS; n++) {
    await sleep(random.between(100, 1_000));
    killedAt.push(await killAndRestart(entitlement, harness));
  }
  await telling;
  await checkRest(harness, { outageMs: killedAt.at(-1)! - killedAt[0] + SESSION_MS });
  for (const [accountId, available] of expected) {
    const [{ found }] = await installation.sql<{ found: number }>(
      `select sum(available)::int as found from entitlement.credit_grants
       where account_id = $1 and source_type <> 'trial'`,
      [accountId],
    );
    holds(found === available, `account ${accountId} has ${found} credits, ${available} are paid`);
  }
  harness.count('accounts', expected.size);
}

async function deadGateway(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const boughtAt = new Date(Date.now() - 3_600_000);
  const seed = randomUUID();
  await withClient(installation.cluster.settings.superuserUrl, async (client) => {
    await withLedgerFunctions(client, seed, async () => {
      await insertAccounts(client, { count: LEASES, credits: 5_000, boughtAt });
      await insertLeases(client, { count: LEASES, credits: 5_000, ...LEASE, gatewayId: newId() });
    });
  });
  const left = async () => {
    const [{ open }] = await installation.sql<{ open: number }>(
      `select count(*)::int as open from entitlement.leases
       where state = 'open' and expires_at < clock_timestamp() - interval '4 minutes'`,
    );
    return open;
  };
  harness.say('waiting for the reaper, two minutes');
  await eventually('the reaper to begin', async () => (await left()) < LEASES, 2 * REAPER_WAIT_MS);
  const startedAt = performance.now();
  await eventually('every lease to be closed', async () => (await left()) === 0, REAP_LIMIT_MS);
  harness.worst('closed in ms', performance.now() - startedAt);
  const [{ consumed }] = await installation.sql<{ consumed: number }>(
    `select sum(consumed)::int as consumed from entitlement.credit_grants
     where account_id in (select account_id from entitlement.payment_lines where sku = 'written')`,
  );
  const charged = LEASES * LEASE.reported;
  holds(consumed === charged, `${consumed} credits are charged, ${charged} were reported`);
  harness.count('leases reaped', LEASES);
  await checkRest(harness);
}
