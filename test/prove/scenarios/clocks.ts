import { setTimeout as sleep } from 'node:timers/promises';
import { skewedClock, skewedClockMissing } from '../../faults/skewed-clock.js';
import { holds } from '../environment/broken.js';
import { type Scenario, type InstallationHarness } from '../scenario.js';
import { underTraffic } from '../environment/traffic.js';

const SERVICES = ['account', 'entitlement', 'lookup', 'gateway-1', 'gateway-2'];
const OFFSETS_HOURS = [-25, -1, 1, 25];
const STAYS_MS = 2_000;
/**
 * An hour earlier, a limit that was raised by hand is not raised yet, so a trial's ten requests per minute must
 * suffice.
 */
const TRIAL_PER_SECOND = 1;

/** One process at a time: the clocks of the others are right, so they refuse its tokens, and it refuses theirs. */
const skewRows: Scenario[] = SERVICES.filter((name) => name !== 'gateway-2').map((name, place) => ({
  name: `clock of ${name}`,
  fault: `${name} runs with its wall clock ${OFFSETS_HOURS[place]} h wrong (with --long ±1 h and ±25 h in turn)`,
  expectation: 'nothing is granted or renewed twice; it works again as soon as its clock is right',
  missing: skewedClockMissing,
  run: async (harness) => skewOne(harness, name, OFFSETS_HOURS[place]),
}));

export const clockRows: Scenario[] = [
  ...skewRows,
  {
    name: 'clock of all',
    fault: 'every service is started with its wall clock 25 h ahead, then 1 h behind, then right',
    expectation:
      'lookups are answered throughout, each payment is granted once, and nobody is locked out',
    missing: skewedClockMissing,
    run: skewAll,
  },
];

async function skewOne(
  harness: InstallationHarness,
  name: string,
  offsetHours: number,
): Promise<void> {
  const { installation } = harness;
  const process = installation.process(name);
  await underTraffic(harness, {}, async () => {
    const startedAt = performance.now();
    for (const hours of harness.isLong ? OFFSETS_HOURS : [offsetHours]) {
      await process.stop();
      await process.start(skewedClock(hours));
      harness.count('steps');
      await sleep(STAYS_MS);
    }
    await process.stop();
    await process.start();
    return { outageMs: performance.now() - startedAt };
  });
  await worksAgain(harness);
}

async function skewAll(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  // The regulars have already used more than a trial's requests in this minute.
  const customers = [await installation.regular(), await installation.regular()];
  const [known] = customers;
  const traffic = { lookupsPerSecond: TRIAL_PER_SECOND, customers };
  for (const hours of [25, -1, 0]) {
    const settings = hours === 0 ? {} : skewedClock(hours);
    await Promise.all(
      SERVICES.map(async (name) => {
        await installation.process(name).stop();
        await installation.process(name).start(settings);
      }),
    );
    harness.count('steps');
    await underTraffic(harness, traffic, async () => sleep(STAYS_MS));
    await known.lookUp();
  }
  await worksAgain(harness);
}

/** Checks with a new customer and an existing one. */
async function worksAgain(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const customer = await installation.regular(10);
  await customer.lookUp();
  const [known] = installation.regulars;
  holds((await known.logIn()) === 'active', 'a customer is locked out');
  await known.lookUp();
}
