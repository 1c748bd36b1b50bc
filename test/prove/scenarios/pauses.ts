import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from '../environment/broken.js';
import { type Scenario, type InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';

export const pauseRows: Scenario[] = [
  {
    name: 'pause relay owner',
    fault: 'SIGSTOP of account while it has a second process, then SIGCONT',
    expectation: 'the other relay takes over, and duplicates from the first one are dropped',
    run: pauseRelayOwner,
  },
  {
    name: 'pause consumer',
    fault: 'SIGSTOP of entitlement, then SIGCONT',
    expectation: 'events wait and arrive; leases continue, then 503, never 402',
    run: async (harness) => pauseService(harness, 'entitlement'),
  },
  {
    name: 'pause gateway',
    fault: 'SIGSTOP of gateway-1, then SIGCONT',
    expectation: 'the other gateway continues; nothing is charged twice',
    run: async (harness) => pauseService(harness, 'gateway-1'),
  },
];

async function pauseService(harness: InstallationHarness, name: string): Promise<void> {
  const process = harness.installation.process(name);
  await underTraffic(harness, {}, async () => {
    process.kill('SIGSTOP');
    await sleep(harness.pauseMs);
    process.kill('SIGCONT');
    await sleep(1_000);
    return { outageMs: harness.pauseMs };
  });
}

/** A suspended relay holds leases of buckets, which expire. */
async function pauseRelayOwner(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const second = installation.further('account', 'account-2', { ACCOUNT_PORT: '0' });
  await second.start();
  try {
    await underTraffic(harness, { paymentsPerSecond: 0 }, async () => {
      const [known] = installation.regulars;
      const first = installation.process('account');
      const owners = async () =>
        installation.sql<{ owner: string; epoch: string }>(
          'select owner, max(epoch) as epoch from account.outbox_bucket where lease_until > clock_timestamp() group by owner',
        );
      await known.logIn();
      const before = await owners();
      first.kill('SIGSTOP');
      try {
        await sleep(harness.pauseMs);
        const taken = await owners();
        const isTaken = taken.every(({ owner }) => !before.some((each) => each.owner === owner));
        holds(isTaken || before.length > 1, 'the buckets of the paused relay were not taken over');
      } finally {
        first.kill('SIGCONT');
      }
      await eventually('account to answer', async () => (await known.logIn()) === 'active');
      const customer = await installation.regular(10);
      await customer.lookUp();
      return { outageMs: harness.pauseMs };
    });
  } finally {
    await second.stop();
  }
}
