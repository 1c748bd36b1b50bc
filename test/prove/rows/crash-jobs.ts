import { setTimeout as sleep } from 'node:timers/promises';
import { type InstallationRow, type Stage, holds } from '../row.js';
import { eventually } from '../world/patience.js';
import { Victim } from './crash-points.js';
import { checkRest } from './traffic.js';

/** The reaper waits two minutes after each start, and takes nothing that is younger than two. */
const REAPER_LIMIT_MS = 400_000;
/** A job comes once a minute. */
const JOB_LIMIT_MS = 100_000;

export const crashJobsRow: InstallationRow = {
  name: 'crash reaper.before-close, reaper.after-close, erasure.before-commit, key-expiry.before-commit, mail.after-claim',
  fault:
    'kill -9 of entitlement before and after it closes the leases of a gateway that is gone with its journal; ' +
    'of account as it erases a person, ends a key, sends a mail',
  expectation: 'each job is done once by the next life; the mail comes after two minutes',
  isWaiting: true,
  run: async (stage) => {
    const startedAt = performance.now();
    const [gatewayKilledAt] = await Promise.all([crashReaper(stage), crashAccountJobs(stage)]);
    const outageMs = performance.now() - startedAt;
    await checkRest(stage, { gatewayKillsAt: [gatewayKilledAt], outageMs });
  },
};

/** A gateway dies with its journal: its leases are nobody's until the reaper closes them. */
async function crashReaper(stage: Stage): Promise<number> {
  const { installation } = stage;
  const gateway = installation.process('gateway-1');
  const [known] = installation.regulars;
  await known.lookUp();
  const killedAt = performance.now();
  gateway.kill('SIGKILL');
  stage.count('kills');
  await gateway.untilEnded();
  installation.loseJournal('gateway-1');
  await gateway.start();
  const open = await installation.sql<{ id: string }>(
    `select id from entitlement.leases where state = 'open' and account_id = $1`,
    [known.accountId],
  );
  holds(open.length > 0, 'the gateway left no lease');
  stage.say('waiting for the reaper, two minutes for each of its two crashes');
  const victim = new Victim('entitlement', ['reaper.before-close', 'reaper.after-close'], stage);
  await victim.arm();
  await Promise.race([victim.supervise(), late('the reaper')]);
  const left = await installation.sql(
    `select from entitlement.leases where state = 'open' and id = any ($1::uuid[])`,
    [open.map(({ id }) => id)],
  );
  holds(left.length === 0, `${left.length} abandoned leases are open`);
  stage.count('leases reaped', open.length);
  return killedAt;
}

/** Time is moved for three customers: nobody waits for 90 days. */
async function crashAccountJobs(stage: Stage): Promise<void> {
  const { installation } = stage;
  const [leaving, expiring] = [await installation.regular(10), await installation.regular(10)];
  await leaving.leave();
  await installation.sql(
    `update account.accounts set restore_until = now() - interval '1 s' where id = $1`,
    [leaving.accountId],
  );
  installation.book.states.set(leaving.accountId, 'erased');
  await installation.sql(
    `update account.api_keys set expires_at = now() - interval '1 s'
     where account_id = $1 and environment = 'live'`,
    [expiring.accountId],
  );
  const points = ['erasure.before-commit', 'key-expiry.before-commit', 'mail.after-claim'] as const;
  const victim = new Victim('account', [...points], stage);
  await victim.arm();
  const flow = async () => {
    await eventually('the erasure', async () => victim.diedAt.length >= 1, JOB_LIMIT_MS);
    await eventually('the end of a key', async () => victim.diedAt.length >= 2, JOB_LIMIT_MS);
    stage.say('waiting for a mail, two minutes');
    await installation.newCustomer().join();
  };
  await Promise.all([flow(), victim.supervise()]);
  const [{ erased, ended }] = await installation.sql<{ erased: number; ended: number }>(
    `select (select count(*)::int from account.outbox where type = 'account.account-erased'
              and key = $1) as erased,
            (select count(*)::int from account.outbox where type = 'account.api-key-changed'
              and key = $2 and data ->> 'state' = 'revoked') as ended`,
    [leaving.accountId, expiring.accountId],
  );
  holds(erased === 1, `an erasure was told ${erased} times`);
  holds(ended === 1, `the end of a key was told ${ended} times`);
}

async function late(what: string): Promise<void> {
  await sleep(REAPER_LIMIT_MS, undefined, { ref: false });
  holds(false, `${what} did not come within ${REAPER_LIMIT_MS / 1000} s`);
}
