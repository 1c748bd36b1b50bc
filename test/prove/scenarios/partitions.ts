import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { type Customer, freshName } from '../environment/customer.js';
import type { Cable } from '../environment/installation.js';
import { eventually } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';

/** The time within which a revoked key must stop working by means of the change feeds alone. */
const FEED_LIMIT_MS = 5_000;

export const partitionRows: InstallationScenario[] = [
  partitionRow('gateway-database', 'lookups continue; the log is kept in memory while it fits'),
  partitionRow('gateway-account', 'known keys work for 60 s, then 503'),
  partitionRow(
    'gateway-entitlement',
    'leases continue, then 503; never free usage, never a false 402',
  ),
  {
    name: 'cut gateway-broker',
    fault: 'no byte passes between gateway and broker (held, then reset)',
    expectation:
      'lookups continue; change feeds end the keys of a deleted account within 5 s; an erasure reaches the gateways afterwards',
    run: cutFromBroker,
  },
];

function partitionRow(cable: Cable, expectation: string): InstallationScenario {
  return {
    name: `cut ${cable}`,
    fault: `no byte passes between ${cable.replace('-', ' and ')} (held, then reset)`,
    expectation,
    run: async (harness) => partition(harness, cable),
  };
}

async function partition(harness: InstallationHarness, name: Cable): Promise<void> {
  const cable = harness.installation.cables[name];
  // Account and entitlement are each cut off for less than 60 s; while entitlement is cut off, leases may run out.
  const isSteady = name !== 'gateway-entitlement' && !harness.isLong;
  await underTraffic(harness, { isSteady }, async () => {
    cable.stall();
    await sleep(harness.pauseMs);
    cable.reset();
    await cable.heal();
    await sleep(2_000);
    return { outageMs: harness.pauseMs };
  });
}

/** Urgent changes arrive through the change feeds; reliable delivery waits for the broker. */
async function cutFromBroker(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const { 'gateway-broker': cable } = installation.cables;
  const [leaving, leaver] = [await installation.regular(1_000), await installation.regular(10)];
  await leaver.leave();
  await underTraffic(harness, { isSteady: true }, async () => {
    for (const origin of installation.apiOrigins) await leaving.lookUp(origin);
    const startedAt = performance.now();
    cable.stall();
    await leaving.leave();
    const leftAt = performance.now();
    await Promise.all(installation.apiOrigins.map((origin) => refused(leaving, origin)));
    const endedMs = performance.now() - leftAt;
    harness.worst('keys ended after ms', endedMs);
    holds(endedMs <= FEED_LIMIT_MS, `keys ended ${Math.round(endedMs)} ms after the deletion`);
    await installation.erase(leaver.accountId);
    await eventually('the erasure', async () => (await erasures(harness, leaver)).length > 0);
    await sleep(Math.max(0, harness.pauseMs - (performance.now() - startedAt)));
    holds(!(await isErasureHeard(harness, leaver)), 'an event passed despite the cut');
    cable.reset();
    await cable.heal();
    await eventually('the erasure at the gateways', async () => isErasureHeard(harness, leaver));
    return { outageMs: performance.now() - startedAt };
  });
}

async function refused(customer: Customer, origin: string): Promise<void> {
  await eventually('the key to end', async () => {
    const { status } = await customer.lookUpOnce(freshName(), origin);
    return status !== 200;
  });
}

const erasures = async ({ installation }: InstallationHarness, { accountId }: Customer) =>
  installation.sql<{ id: string }>(
    `select id from account.outbox where type = 'account.account-erased' and key = $1`,
    [accountId],
  );

async function isErasureHeard(harness: InstallationHarness, customer: Customer): Promise<boolean> {
  const ids = (await erasures(harness, customer)).map(({ id }) => id);
  const heard = await harness.installation.sql(
    'select from gateway.inbox where event_id = any ($1::uuid[])',
    [ids],
  );
  return heard.length > 0;
}
