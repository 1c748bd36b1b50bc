import { CRASH_POINTS, type CrashPoint } from '#libs/platform';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import { type Row, type Stage, holds } from '../row.js';
import type { Customer } from '../world/customer.js';
import { eventually } from '../world/patience.js';
import { startAgain } from './restart.js';
import { checkRest } from './traffic.js';

interface Victim {
  /** The process that passes the point. */
  process: string;
  /** A pass up to this one kills: which one is drawn. */
  passMax: number;
  /** The point lies on the way out: the process is told to stop once the flows are done. */
  isAtStop?: boolean;
  isLong?: boolean;
}

const ACCOUNT: Victim = { process: 'account', passMax: 2 };
const ENTITLEMENT: Victim = { process: 'entitlement', passMax: 2 };
const GATEWAY: Victim = { process: 'gateway-1', passMax: 2 };

/** Who passes each point in the flows below. */
const VICTIMS: Record<CrashPoint, Victim[]> = {
  'outbox.after-commit': [ACCOUNT, { ...ENTITLEMENT, isLong: true }],
  'relay.after-read': [ACCOUNT, { ...ENTITLEMENT, isLong: true }],
  'relay.after-send': [ACCOUNT, { ...ENTITLEMENT, isLong: true }],
  'consumer.before-inbox': [ENTITLEMENT],
  'consumer.before-commit': [ENTITLEMENT],
  'consumer.after-commit': [ENTITLEMENT],
  'command.before-answer': [{ ...ACCOUNT, passMax: 6 }, ENTITLEMENT],
  'mail.after-send': [{ ...ACCOUNT, passMax: 1 }],
  'gateway.after-reserve': [GATEWAY],
  'gateway.after-upstream-answer': [GATEWAY],
  'gateway.after-answer': [GATEWAY],
  'gateway.after-settle': [GATEWAY],
  'gateway.at-lease-close': [{ ...GATEWAY, passMax: 1, isAtStop: true }],
  'lookup.before-answer': [{ process: 'lookup', passMax: 2 }],
  'settle.before-commit': [ENTITLEMENT],
  'settle.after-commit': [ENTITLEMENT],
  // The reaper waits two minutes after each start, and takes nothing that is younger than two.
  'reaper.before-close': [{ ...ENTITLEMENT, passMax: 1, isLong: true }],
  'reaper.after-close': [{ ...ENTITLEMENT, passMax: 1, isLong: true }],
};

const REAPER_LIMIT_MS = 400_000;

/** Sign-up to lookup, payment to credits, deletion to restore: each begins afresh and runs to its end. */
const FLOWS: Record<string, (stage: Stage, known: Customer) => Promise<void>> = {
  'sign-up': async ({ installation }) => {
    const customer = installation.newCustomer();
    await customer.join();
    await installation.checker.registered(customer.accountId);
    for (let n = 0; n < 3; n++) await customer.lookUp();
  },
  payment: async ({ installation }, known) => {
    const paymentId = await installation.billing.confirmPackage(known.accountId);
    await installation.checker.granted(paymentId);
    await known.lookUp();
  },
  deletion: async ({ installation }) => {
    const customer = await installation.regular(100);
    await customer.leaveAndReturn();
    await customer.lookUp();
  },
};

export const crashPointRows: Row[] = Object.entries(VICTIMS).flatMap(([name, victims]) =>
  victims.map((victim): Row => {
    const point = name as CrashPoint;
    return {
      name: `crash ${point} ${victim.process}`,
      fault: `kill -9 of ${victim.process} when ${CRASH_POINTS[point]}, in ${Object.keys(FLOWS).join(', ')}`,
      expectation: 'up again within 5 s; each flow reaches its end with nothing done by hand',
      isLong: victim.isLong,
      run: async (stage) => crashAt(stage, point, victim),
    };
  }),
);

async function crashAt(stage: Stage, point: CrashPoint, victim: Victim): Promise<void> {
  const { installation, random, isLong } = stage;
  // Somebody for whom no flow has to wait while the process is armed.
  const [known] = installation.regulars;
  const flows = Object.values(FLOWS);
  const rounds = isLong ? flows.map((flow) => [flow]) : [flows];
  if (point.startsWith('reaper.')) return crashReaper(stage, point);
  for (const round of rounds) {
    const process = installation.process(victim.process);
    const pass = random.integer(1, victim.passMax);
    stage.worst('pass', pass);
    await process.stop();
    await process.start({ CRASH_AT: `${point}:${pass}` });
    const crashed: Crash = { isDone: false, at: 0, awayMs: 0 };
    const supervising = supervise(process, stage, crashed);
    await Promise.all(round.map((flow) => flow(stage, known)));
    if (victim.isAtStop) process.kill('SIGTERM');
    else if (!crashed.isDone) await more(stage, known, crashed);
    await supervising;
    if (isLong && !crashed.isDone) continue;
    stage.count('kills');
    const isGateway = victim.process.startsWith('gateway');
    await checkRest(stage, {
      gatewayKillsAt: isGateway ? [crashed.at] : [],
      outageMs: crashed.awayMs,
    });
  }
}

interface Crash {
  isDone: boolean;
  at: number;
  awayMs: number;
}

/** Starts the process again once it has killed itself. */
async function supervise(process: ServiceProcess, stage: Stage, crashed: Crash): Promise<void> {
  await process.untilEnded();
  crashed.at = performance.now();
  crashed.isDone = true;
  crashed.awayMs = await startAgain(process, stage);
}

/** A later pass than the flows made: lookups and payments until it comes. */
async function more(stage: Stage, known: Customer, crashed: { isDone: boolean }): Promise<void> {
  const { installation } = stage;
  await eventually('the pass that kills', async () => {
    if (crashed.isDone) return true;
    await installation.billing.confirmPackage(known.accountId);
    await known.lookUpOnce();
    return false;
  });
}

/** A gateway dies with its journal: its leases are nobody's until the reaper closes them. */
async function crashReaper(stage: Stage, point: CrashPoint): Promise<void> {
  const { installation } = stage;
  const [entitlement, gateway] = ['entitlement', 'gateway-1'].map((name) =>
    installation.process(name),
  );
  const [known] = installation.regulars;
  await known.lookUp();
  const killedAt = performance.now();
  gateway.kill('SIGKILL');
  await gateway.untilEnded();
  installation.loseJournal('gateway-1');
  await gateway.start();
  await entitlement.stop();
  await entitlement.start({ CRASH_AT: `${point}:1` });
  stage.say('waiting for the reaper, about two minutes');
  await eventually('the crash', async () => !entitlement.isRunning, REAPER_LIMIT_MS);
  await startAgain(entitlement, stage);
  stage.count('kills');
  const abandoned = async () =>
    (
      await installation.sql<{ left: number }>(
        `select count(*)::int as left from entitlement.leases
         where state = 'open' and expires_at < clock_timestamp() - interval '60 s'`,
      )
    )[0].left;
  stage.say('waiting for the reaper again');
  await eventually('no abandoned lease', async () => (await abandoned()) === 0, REAPER_LIMIT_MS);
  holds((await abandoned()) === 0, 'an abandoned lease is open');
  await checkRest(stage, { gatewayKillsAt: [killedAt] });
}
