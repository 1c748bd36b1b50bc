import { setTimeout as sleep } from 'node:timers/promises';
import { holds } from '../environment/broken.js';
import { type InstallationScenario, type InstallationHarness } from '../scenario.js';
import { eventually } from '../environment/patience.js';
import { Victim } from './crash-points.js';
import { checkRest } from '../environment/traffic.js';

/** The reaper waits two minutes after each start, and ignores leases that are younger than that. */
const REAPER_LIMIT_MS = 200_000;
/** A time that is longer than a round of the reaper. */
const LATER_MS = 4_000;
/** A job begins within 90 s after it is due, and within 90 s more if a killed process still holds its lease. */
const JOB_LIMIT_MS = 200_000;
/** Two of these jobs, one after the other, and their restarts. */
const ACCOUNT_LIMIT_MS = 2 * JOB_LIMIT_MS + 100_000;
/** After 30 s, others take over the mail of a dead sender. */
const MAIL_LIMIT_MS = 70_000;

export const crashJobsRow: InstallationScenario = {
  name: 'crash reaper.before-close, reaper.after-close, erasure.before-commit, key-expiry.before-commit, mail.after-claim',
  fault:
    'kill -9 of entitlement before and after it closes the leases of a gateway that was lost with its journal; ' +
    'of account as it sends a mail, erases a person, ends a key',
  expectation: 'each job is done once by the next life; the mail comes after 30 s',
  isBackground: true,
  run: async (harness) => {
    const startedAt = performance.now();
    const [gatewayKilledAt] = await Promise.all([crashReaper(harness), crashAccountJobs(harness)]);
    const outageMs = performance.now() - startedAt;
    await checkRest(harness, { gatewayKillsAt: [gatewayKilledAt], outageMs });
  },
};

/** A gateway dies with its journal, so its leases stay open until the reaper closes them. */
async function crashReaper(harness: InstallationHarness): Promise<number> {
  const { installation } = harness;
  const gateway = installation.process('gateway-1');
  const [known] = installation.regulars;
  await known.lookUp();
  const killedAt = performance.now();
  gateway.kill('SIGKILL');
  harness.count('kills');
  await gateway.untilEnded();
  installation.loseJournal('gateway-1');
  await gateway.start();
  const open = await installation.sql<{ id: string }>(
    `select lease_id as id from entitlement.leases
     where state = 'open' and account_id = $1`,
    [known.accountId],
  );
  holds(open.length > 0, 'the gateway left no lease');
  const first = new Victim('entitlement', ['reaper.before-close'], harness);
  await first.arm();
  await Promise.race([
    Promise.all([first.supervise(), crashSecondReaper(harness)]),
    late('the reaper', REAPER_LIMIT_MS),
  ]);
  const left = await installation.sql(
    `select from entitlement.leases where state = 'open' and lease_id = any ($1::uuid[])`,
    [open.map(({ id }) => id)],
  );
  holds(left.length === 0, `${left.length} abandoned leases are open`);
  harness.count('leases reaped', open.length);
  return killedAt;
}

/** Starts a second reaper, which dies at the leases that the first one left. */
async function crashSecondReaper(harness: InstallationHarness): Promise<void> {
  const second = harness.installation.further('entitlement', 'entitlement-2', {
    ENTITLEMENT_PORT: '0',
  });
  try {
    await sleep(LATER_MS);
    await second.start({ CRASH_AT: 'reaper.after-close:1' });
    harness.say('waiting for the reapers, two minutes');
    await second.untilEnded();
    holds(second.endedBy === 'SIGKILL', `the second reaper ended by itself: ${second.endedBy}`);
    harness.count('kills');
  } finally {
    second.kill('SIGKILL');
  }
}

/** Moves time for three customers, so that no test waits for 90 days. */
async function crashAccountJobs(harness: InstallationHarness): Promise<void> {
  const { installation } = harness;
  const [leaving, expiring] = [await installation.regular(10), await installation.regular(10)];
  await leaving.leave();
  await installation.erase(leaving.accountId);
  const points = ['mail.after-claim', 'erasure.before-commit', 'key-expiry.before-commit'] as const;
  const victim = new Victim('account', [...points], harness);
  await victim.arm();
  const expireLater = async () => {
    // The job runs at each start, so the previous process, which dies during an erasure, would have ended the key.
    await eventually('the erasure', async () => victim.diedAt.length > 1, JOB_LIMIT_MS);
    await installation.sql(
      `update account.api_keys set expires_at = now() - interval '1 s'
       where account_id = $1 and environment = 'live'`,
      [expiring.accountId],
    );
  };
  const dying = Promise.all([installation.newCustomer().join(), victim.supervise(), expireLater()]);
  await Promise.race([dying, late('the last job of account', ACCOUNT_LIMIT_MS)]);
  const told = await eventually(
    'the erasure and the end of the key',
    async () => toldOf(harness, leaving.accountId, expiring.accountId),
    JOB_LIMIT_MS,
  );
  holds(told.erased === 1, `an erasure was published ${told.erased} times`);
  holds(told.ended === 1, `the end of a key was published ${told.ended} times`);
  await eventually(
    'every mail to be sent',
    async () => {
      const left = await installation.sql(`select from account.mail where state = 'waiting'`);
      return left.length === 0;
    },
    MAIL_LIMIT_MS,
  );
}

/** Resolves once both have been published. */
async function toldOf(
  { installation }: InstallationHarness,
  erasedId: string,
  endedId: string,
): Promise<{ erased: number; ended: number } | undefined> {
  const [{ erased, ended }] = await installation.sql<{ erased: number; ended: number }>(
    `select (select count(*)::int from account.outbox where type = 'account.account-erased'
              and key = $1) as erased,
            (select count(*)::int from account.outbox where type = 'account.api-key-changed'
              and key = $2 and data ->> 'state' = 'revoked') as ended`,
    [erasedId, endedId],
  );
  return erased > 0 && ended > 0 ? { erased, ended } : undefined;
}

async function late(what: string, limitMs: number): Promise<void> {
  await sleep(limitMs, undefined, { ref: false });
  holds(false, `${what} did not come within ${limitMs / 1000} s`);
}
