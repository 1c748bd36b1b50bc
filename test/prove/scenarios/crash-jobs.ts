import { eventually, holds } from '../environment/patience.js';
import { checkRest } from '../environment/traffic.js';
import { Victim, killAndRestart } from '../environment/victim.js';
import type { Scenario, Harness } from '../scenario.js';

const REAPER_POINTS = ['reaper.before-close', 'reaper.after-close'] as const;
const ACCOUNT_POINTS = [
  'mail.after-claim',
  'erasure.before-commit',
  'key-expiry.before-commit',
] as const;

/** Each job is done once, by the restarted process. */
export const crashJobsRow: Scenario = {
  name: `crash ${[...REAPER_POINTS, ...ACCOUNT_POINTS].join(', ')}`,
  group: 'background',
  run: async (harness) => {
    const startedAt = performance.now();
    const [gatewayKilledAt] = await Promise.all([crashReaper(harness), crashAccountJobs(harness)]);
    const outageMs = performance.now() - startedAt;
    await checkRest(harness, { gatewayKillsAt: [gatewayKilledAt], outageMs });
  },
};

/**
 * A gateway is killed and loses its journal, so its leases stay open until the reaper closes them, two minutes after
 * each start of entitlement.
 * @returns when the gateway was killed.
 */
async function crashReaper(harness: Harness): Promise<number> {
  const { installation } = harness;
  const [known] = installation.regulars;
  await known.lookUpAny();
  const killedAt = await killAndRestart(installation.process('gateway-1'), harness, () =>
    installation.loseJournal('gateway-1'),
  );
  const open = await installation.sql<{ id: string }>(
    `select lease_id as id from entitlement.leases where state = 'open' and account_id = $1`,
    [known.accountId],
  );
  holds(open.length > 0, 'the gateway left no lease');
  // The reaper runs two minutes after each of two starts.
  await new Victim(harness, 'entitlement', REAPER_POINTS).during(async () => {});
  const left = await installation.sql(
    `select from entitlement.leases where state = 'open' and lease_id = any ($1::uuid[])`,
    [open.map(({ id }) => id)],
  );
  holds(left.length === 0, `${left.length} abandoned leases are open`);
  harness.count('leases reaped', open.length);
  return killedAt;
}

/**
 * Kills the account service while it sends an e-mail, erases an account and ends an expired key. The erasure and the
 * expiry are made due by moving their times, each only when the process is meant to die there, because these jobs run
 * every few seconds. The e-mail that a killed sender was sending is sent after 30 s.
 */
async function crashAccountJobs(harness: Harness): Promise<void> {
  const { installation } = harness;
  const [leaving, expiring] = [await installation.regular(10), await installation.regular(10)];
  await leaving.leave();
  const victim = new Victim(harness, 'account', ACCOUNT_POINTS);
  const becomeDue = async () => {
    await eventually('the death while an e-mail is sent', async () => victim.diedAt.length > 0);
    await installation.erase(leaving.accountId);
    await eventually('the death in the erasure', async () => victim.diedAt.length > 1);
    await installation.sql(
      `update account.api_keys set expires_at = now() - interval '1 s'
       where account_id = $1 and environment = 'live'`,
      [expiring.accountId],
    );
  };
  await victim.during(() => Promise.all([installation.newCustomer().join(), becomeDue()]));
  const isTold = async () => {
    const events = await installation.sql<{ type: string }>(
      `select type from account.outbox where key = $1 and type = 'account.account-erased'
         or key = $2 and type = 'account.api-key-changed' and data ->> 'state' = 'revoked'`,
      [leaving.accountId, expiring.accountId],
    );
    holds(new Set(events.map(({ type }) => type)).size === events.length, 'a job was done twice');
    return events.length === 2;
  };
  await eventually('the erasure and the end of the key', isTold);
  await eventually('every e-mail to be sent', async () => {
    const left = await installation.sql(`select from account.mail where state = 'waiting'`);
    return left.length === 0;
  });
}
