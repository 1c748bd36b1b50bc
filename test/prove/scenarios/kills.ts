import { deepStrictEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Customer } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';
import { killAndRestart } from '../environment/victim.js';
import type { Harness, Scenario } from '../scenario.js';
import { SESSION_MS } from './crash-points.js';

const SERVICES = ['account', 'entitlement', 'lookup', 'gateway-1'];
const KILLS = 2;
const PAUSE_MAX_MS = 1_500;

export const killRows: Scenario[] = SERVICES.map((name) => ({
  name: `kill ${name}`,
  run: async (harness) => {
    const { installation, random, isLong } = harness;
    // Cached keys work while the account service is down.
    await underTraffic(harness, { isSteady: name === 'account' }, async () => {
      const killedAt: number[] = [];
      for (let n = 0; n < (isLong ? 5 * KILLS : KILLS); n++) {
        await sleep(random.between(100, PAUSE_MAX_MS));
        killedAt.push(await killAndRestart(installation.process(name), harness));
      }
      // When the broker notices one member that was killed while joining, it notices all such members.
      const outageMs = killedAt.at(-1)! - killedAt[0] + SESSION_MS;
      return { gatewayKillsAt: name.startsWith('gateway') ? killedAt : [], outageMs };
    });
  },
}));

// Billing is listed twice, because every purchase passes through it.
const BUYERS_SERVICES = [
  'billing',
  'billing',
  'account',
  'entitlement',
  'worker',
  'corpus',
  'dashboard',
];
const KILLS_WHILE_BUYING = 10;
const LONG_KILLS_WHILE_BUYING = 40;
const LONG_PAUSE_MAX_MS = 3_000;
const CREDITS = 5_000;

/** Kills services while customers pay and all jobs are due. Every purchase must be paid and granted once. */
export const killsWhileBuyingRow: Scenario = {
  name: 'kills while people buy',
  run: async (harness) => {
    const { installation, isLong, random, count } = harness;
    const ending = new AbortController();
    const { signal } = ending;
    const kill = async () => {
      const kills = isLong ? LONG_KILLS_WHILE_BUYING : KILLS_WHILE_BUYING;
      for (let n = 0; n < kills && !signal.aborted; n++) {
        if (n % KILLS_WHILE_BUYING === 0) await makeJobsDue(harness);
        await sleep(random.between(100, LONG_PAUSE_MAX_MS));
        await killAndRestart(installation.process(random.pick(BUYERS_SERVICES)), harness);
      }
    };
    let purchases = 0;
    const buy = async (customer: Customer) => {
      while (!signal.aborted) {
        await customer.buy(CREDITS);
        purchases += 1;
      }
    };
    const killing = kill();
    const buying = Promise.all(installation.regulars.map(buy));
    try {
      await Promise.race([killing, buying]);
    } finally {
      ending.abort();
      await Promise.allSettled([killing, buying]);
    }
    await killing;
    await buying;
    count('purchases', purchases);
    const buyers = installation.regulars.map(({ accountId }) => accountId);
    await eventually('the credits of each purchase', async () => {
      const [row] = await installation.sql<Record<string, number>>(BOUGHT, [buyers]);
      const wanted = { payments: purchases, grants: purchases, credits: purchases * CREDITS };
      deepStrictEqual(row, wanted);
      return true;
    });
    await installation.checker.check(0);
  },
};

const BOUGHT = `
  select count(distinct p.id)::int as payments, count(g.id)::int as grants,
    sum(g.granted)::int as credits
  from billing.payments p join billing.payment_lines l on l.payment_id = p.id
  left join entitlement.credit_grants g on g.source_type = 'package' and g.source_id = l.id::text
  where p.account_id = any ($1::uuid[])`;

async function makeJobsDue({ installation }: Harness): Promise<void> {
  const tables = await installation.sql<{ name: string }>(
    `select schemaname || '.job_lease' as name from pg_tables where tablename = 'job_lease'`,
  );
  for (const { name } of tables) {
    const due = `update ${name} set last_run_at = clock_timestamp() - interval '2 days'`;
    await installation.sql(due);
  }
}
