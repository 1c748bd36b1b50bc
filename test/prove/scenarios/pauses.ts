import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from '../environment/broken.js';
import { eventually } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

export const pauseRows: Scenario[] = [
  { name: 'pause relay owner', run: pauseRelayOwner },
  { name: 'pause consumer', run: (harness) => pause(harness, 'entitlement') },
  { name: 'pause gateway', run: (harness) => pause(harness, 'gateway-1') },
];

async function pause(harness: Harness, name: string, meanwhile = async () => {}) {
  const process = harness.installation.process(name);
  await underTraffic(harness, {}, async () => {
    process.kill('SIGSTOP');
    try {
      await sleep(harness.pauseMs);
      await meanwhile();
    } finally {
      process.kill('SIGCONT');
    }
    await sleep(1_000);
    return { outageMs: harness.pauseMs };
  });
}

/**
 * A suspended relay owns buckets under leases that expire. Events that it sends afterwards are dropped as duplicates.
 */
async function pauseRelayOwner(harness: Harness): Promise<void> {
  const { installation } = harness;
  const second = installation.further('account', 'account-2', { ACCOUNT_PORT: '0' });
  await second.start();
  try {
    await pause(harness, 'account', async () => {
      const leases = await installation.sql(
        'select from account.outbox_bucket where lease_until > clock_timestamp()',
      );
      holds(leases.length > 0, 'the buckets of the paused relay were not taken over');
    });
    const [known] = installation.regulars;
    await eventually('account to answer', async () => (await known.logIn()) === 'active');
    const customer = await installation.regular(10);
    await customer.lookUp();
  } finally {
    await second.stop();
  }
}
