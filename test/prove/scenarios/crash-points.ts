import { CRASH_POINTS, type CrashPoint } from '#libs/platform';
import type { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import type { InstallationScenario, InstallationHarness } from '../scenario.js';
import type { Customer } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { startAgain } from '../environment/restart.js';
import { checkRest } from '../environment/traffic.js';

/** The crash points of each process. One is armed at a time: the second is armed when the process starts again. */
type Round = Record<string, CrashPoint[]>;

/** Points that are passed during shutdown: the process is told to stop once the flows are done. */
const AT_STOP: CrashPoint[] = ['gateway.at-lease-close'];

/** Rounds in which several processes die; every point is in one of the rounds. */
const ROUNDS: Round[] = [
  {
    account: ['outbox.after-commit'],
    entitlement: ['consumer.before-inbox', 'settle.before-commit'],
    'gateway-1': ['gateway.after-reserve'],
  },
  {
    account: ['relay.after-read'],
    entitlement: ['consumer.before-commit', 'settle.after-commit'],
    'gateway-1': ['gateway.after-lookup-answer'],
  },
  {
    account: ['relay.after-send'],
    entitlement: ['consumer.after-commit', 'lease.before-commit'],
    lookup: ['lookup.before-answer'],
  },
  {
    account: ['deletion.before-commit', 'restore.before-commit'],
    entitlement: ['relay.after-send', 'lease.after-commit'],
    'gateway-1': ['gateway.after-answer', 'gateway.at-replay'],
  },
  {
    account: ['mail.after-send', 'command.before-answer'],
    entitlement: ['relay.after-read', 'expiry.before-commit'],
    'gateway-1': ['gateway.after-settle'],
  },
  { entitlement: ['outbox.after-commit', 'command.before-answer'] },
  { 'gateway-1': ['gateway.at-lease-close'], entitlement: ['close.before-commit'] },
];

/** The latest pass at which a process first dies; the pass is drawn from 1 to this number. */
const PASS_MAX: Partial<Record<CrashPoint, number>> = {
  'outbox.after-commit': 2,
  'consumer.before-commit': 2,
  'command.before-answer': 4,
  'gateway.after-reserve': 2,
  'gateway.after-lookup-answer': 2,
  'gateway.after-settle': 2,
  'lookup.before-answer': 2,
};

/** The time after which the broker notices a dead consumer, including one that died while it rejoined. */
export const SESSION_MS = 8_000;
const UNLIMITED = 1_000_000;
const BRIEF_CREDITS = 5;
const BRIEF_MS = 1_500;

/** Flows that each start from scratch and run to the end. */
const FLOWS: Record<string, (harness: InstallationHarness, known: Customer) => Promise<void>> = {
  'sign-up': async ({ installation }) => {
    const customer = installation.newCustomer();
    await customer.join();
    await installation.checker.registered(customer.accountId);
    // Polling while services are unavailable would soon use up a trial's ten requests per minute.
    await installation.limit(customer.accountId, UNLIMITED);
    for (let n = 0; n < 3; n++) await customer.lookUp();
  },
  payment: async ({ installation }, known) => {
    const paymentId = await installation.pay(known.accountId);
    await installation.checker.granted(paymentId);
    await known.lookUp();
  },
  deletion: async ({ installation }) => {
    const customer = await installation.regular(100);
    await customer.leaveAndReturn();
    await customer.lookUp();
  },
  expiry: async ({ installation }) => {
    const [, quiet] = installation.regulars;
    const grant = await installation.grant(quiet.accountId, BRIEF_CREDITS, BRIEF_MS);
    await quiet.logIn();
    await eventually('credits to expire', async () => {
      await quiet.spendable();
      return (await installation.checker.expired(grant)) === BRIEF_CREDITS;
    });
  },
};

export const crashPointRows: InstallationScenario[] = ROUNDS.map((round) => {
  const points = Object.values(round).flat();
  return {
    name: `crash ${points.join(', ')}`,
    fault: `kill -9 of ${Object.keys(round).join(', ')} when ${points.map((point) => CRASH_POINTS[point]).join('; when ')}`,
    expectation: `up again within 5 s; ${Object.keys(FLOWS).join(', ')} finish without manual intervention`,
    run: async (harness) => crashAt(harness, round),
  };
});

async function crashAt(harness: InstallationHarness, round: Round): Promise<void> {
  const flows = Object.values(FLOWS);
  const turns = harness.isLong ? flows.map((flow) => [flow]) : [flows];
  for (const turn of turns) await crashDuring(harness, round, turn);
}

async function crashDuring(
  harness: InstallationHarness,
  round: Round,
  flows: (typeof FLOWS)[string][],
): Promise<void> {
  const { installation } = harness;
  // A customer for whom no flow has to wait while the crash points are set.
  const [known] = installation.regulars;
  const victims = Object.entries(round).map(([name, points]) => new Victim(name, points, harness));
  await Promise.all(victims.map((victim) => victim.arm()));
  const flowing = async () => {
    await Promise.all(flows.map((flow) => flow(harness, known)));
    for (const victim of victims) victim.stopIfPassedThen();
    await more(harness, known, victims);
  };
  await Promise.all([flowing(), ...victims.map((victim) => victim.supervise())]);
  await checkRest(harness, {
    gatewayKillsAt: victims.filter(({ isGateway }) => isGateway).flatMap(({ diedAt }) => diedAt),
    outageMs: Math.max(
      ...victims.map(({ awayMs, diedAt }) => awayMs + (diedAt.length - 1) * SESSION_MS),
    ),
  });
}

/** Repeats a part of each action until all processes have died, because the flows alone do not reach later passes. */
async function more(
  { installation }: InstallationHarness,
  known: Customer,
  victims: Victim[],
): Promise<void> {
  await eventually('the pass that kills', async () => {
    if (victims.every(({ isDone }) => isDone)) return true;
    await installation.pay(known.accountId);
    await installation.limit(known.accountId, UNLIMITED);
    await known.lookUpOnce();
    // Hashing a password is expensive, so the customer logs in only if a crash point of account is still to be reached.
    if (victims.some(({ name, isDone }) => name === 'account' && !isDone)) await known.logIn();
    await installation.grant(known.accountId, BRIEF_CREDITS, BRIEF_MS);
    await known.spendable();
    return false;
  });
}

/** A process, the points at which it dies, and its supervisor. */
export class Victim {
  /** Monotonic milliseconds. */
  readonly diedAt: number[] = [];
  /** The time from its first death until it stayed up. */
  awayMs = 0;
  isDone = false;
  private readonly process: ServiceProcess;

  constructor(
    readonly name: string,
    private readonly points: CrashPoint[],
    private readonly harness: InstallationHarness,
  ) {
    this.process = harness.installation.process(name);
  }

  get isGateway(): boolean {
    return this.name.startsWith('gateway');
  }

  /** Starts it again with its first point. */
  async arm(): Promise<void> {
    const [point] = this.points;
    const pass = this.harness.random.between(1, PASS_MAX[point] ?? 1);
    await this.process.stop();
    await this.process.start({ CRASH_AT: `${point}:${pass}` });
  }

  /** Restarts it each time it has killed itself, with the next point, and finally without one. */
  async supervise(): Promise<void> {
    for (const next of [...this.points.slice(1), undefined]) {
      await this.process.untilEnded();
      this.diedAt.push(performance.now());
      this.harness.count('kills');
      this.isDone = next === undefined;
      await startAgain(this.process, this.harness, { nextPoint: next });
    }
    this.awayMs = performance.now() - this.diedAt[0];
  }

  stopIfPassedThen(): void {
    if (!this.isDone && AT_STOP.includes(this.points[0])) this.process.kill('SIGTERM');
  }
}
