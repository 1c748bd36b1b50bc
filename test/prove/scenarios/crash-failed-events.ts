import type { InstallationScenario, InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { Victim } from './crash-points.js';
import { checkRest } from '../environment/traffic.js';

/** While this exists, a payment's handler fails with a temporary error. */
const OBSTACLE = `
create function entitlement.obstacle() returns trigger language plpgsql as
  $$ begin raise exception 'an obstacle of the fault matrix'; end $$;
create trigger obstacle before insert on entitlement.payment_lines
  for each row execute function entitlement.obstacle();`;
const NO_OBSTACLE = 'drop function if exists entitlement.obstacle() cascade';

export const crashFailedEventsRow: InstallationScenario = {
  name: 'crash failed-event.before-commit, failed-event-retry.before-commit',
  fault:
    'kill -9 of entitlement as it sets aside a payment that its database refuses, and as it handles it later',
  expectation: 'the payment is granted once, automatically, when the obstacle is gone',
  run: crashFailedEvents,
};

async function crashFailedEvents(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const [known] = installation.regulars;
  const points = ['failed-event.before-commit', 'failed-event-retry.before-commit'] as const;
  const victim = new Victim('entitlement', [...points], harness);
  const startedAt = performance.now();
  await victim.arm();
  const flow = async () => {
    await installation.sql(OBSTACLE);
    const paymentId = await installation.pay(known.accountId);
    await eventually('the payment to be set aside', async () => {
      const failed = await installation.sql(
        `select from entitlement.failed_event where state = 'retrying' and key = $1`,
        [known.accountId],
      );
      return failed.length > 0;
    });
    harness.count('retrying');
    await installation.sql(NO_OBSTACLE);
    await installation.checker.granted(paymentId);
  };
  try {
    await Promise.all([flow(), victim.supervise()]);
  } finally {
    await installation.sql(NO_OBSTACLE);
  }
  await known.lookUp();
  await checkRest(harness, { outageMs: performance.now() - startedAt });
}
