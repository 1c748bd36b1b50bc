import { setTimeout as sleep } from 'node:timers/promises';
import { skewedClock, skewedClockMissing } from '../../faults/skewed-clock.js';
import { holds } from '../environment/patience.js';
import { underTraffic } from '../environment/traffic.js';
import type { Harness, Scenario } from '../scenario.js';

/** The offset of each service's clock, in hours. With `--long`, each service gets all offsets in turn. */
const OFFSETS_HOURS = { account: -25, entitlement: -1, lookup: 1, 'gateway-1': 25 };
const STAYS_MS = 2_000;
// With the clock an hour behind, a limit that was raised by hand does not apply yet: the trial's must suffice.
const TRIAL_PER_SECOND = 1;

/** Scenarios in which one process at a time has a wrong clock: the others refuse its tokens, and it refuses theirs. */
const skewRows: Scenario[] = Object.entries(OFFSETS_HOURS).map(([name, offset]) => ({
  name: `clock of ${name}`,
  missing: skewedClockMissing,
  run: async (harness) => {
    const offsets = harness.isLong ? Object.values(OFFSETS_HOURS) : [offset];
    await underTraffic(harness, {}, async () => {
      const startedAt = performance.now();
      for (const hours of offsets) {
        await skew(harness, [name], hours);
        await sleep(STAYS_MS);
      }
      await skew(harness, [name], 0);
      return { outageMs: performance.now() - startedAt };
    });
    await worksAgain(harness);
  },
}));

/** With wrong clocks, nothing is granted or charged twice; with right clocks, lookups are answered again. */
export const clockRows: Scenario[] = [
  ...skewRows,
  {
    name: 'clock of all',
    missing: skewedClockMissing,
    run: async (harness) => {
      const { installation } = harness;
      // The regular customers have already sent more than a trial's requests in this minute.
      const customers = [await installation.regular(), await installation.regular()];
      const traffic = { lookupsPerSecond: TRIAL_PER_SECOND, customers };
      for (const hours of [25, -1, 0]) {
        await skew(harness, [...Object.keys(OFFSETS_HOURS), 'gateway-2'], hours);
        await underTraffic(harness, traffic, async () => sleep(STAYS_MS));
        await customers[0].lookUpAny();
      }
      await worksAgain(harness);
    },
  },
];

async function skew({ installation }: Harness, names: string[], hours: number) {
  const settings = hours === 0 ? {} : skewedClock(hours);
  await Promise.all(
    names.map(async (name) => {
      await installation.process(name).stop();
      await installation.process(name).start(settings);
    }),
  );
}

async function worksAgain({ installation }: Harness): Promise<void> {
  const customer = await installation.regular(10);
  await customer.lookUpAny();
  const [known] = installation.regulars;
  holds((await known.state()) === 'active', 'a customer is locked out');
  await known.lookUpAny();
}
