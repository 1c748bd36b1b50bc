import type { CrashPoint } from '#libs/platform';
import type { Harness, Scenario } from '../scenario.js';
import type { Customer } from '../environment/customer.js';
import { eventually } from '../environment/patience.js';
import { checkRest } from '../environment/traffic.js';
import { Victim } from '../environment/victim.js';

/** A crash point that is passed only during shutdown: the process is told to stop once the flows are done. */
const AT_STOP: CrashPoint = 'gateway.at-lease-close';

/** In each round, several processes kill themselves: each at its first crash point, then at the next one. */
const ROUNDS: Record<string, CrashPoint[]>[] = [
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

/** The time after which the broker notices a dead consumer, including one that was killed while it rejoined. */
export const SESSION_MS = 8_000;
const BRIEF_CREDITS = 5;
const BRIEF_MS = 1_500;

type Flow = (harness: Harness, known: Customer) => Promise<void>;

/** Flows that run to the end: a sign-up, a payment, a deletion with its undoing, and an expiry. */
const FLOWS: Flow[] = [
  async ({ installation }) => {
    const customer = installation.newCustomer();
    await customer.join();
    await installation.checker.registered(customer.accountId);
    // Polling while services are unavailable would soon use up a trial's limit of ten requests per minute.
    await installation.limit(customer.accountId);
    for (let n = 0; n < 3; n++) await customer.lookUpAny();
  },
  async ({ installation }, known) => {
    const paymentId = await installation.pay(known.accountId);
    await installation.checker.granted(paymentId);
    await known.lookUpAny();
  },
  async ({ installation }) => {
    const customer = await installation.regular(100);
    await customer.leaveAndReturn();
    await customer.lookUpAny();
  },
  async ({ installation }) => {
    const [, quiet] = installation.regulars;
    const grant = await installation.grant(quiet.accountId, BRIEF_CREDITS, BRIEF_MS);
    await quiet.state();
    await eventually('credits to expire', async () => {
      await quiet.spendable();
      const [row] = await installation.sql<{ expired: string }>(
        'select expired from entitlement.credit_grants where source_id = $1',
        [grant],
      );
      return Number(row.expired) === BRIEF_CREDITS;
    });
  },
];

/** All flows finish without manual intervention; with `--long`, each flow runs alone. */
export const crashPointRows: Scenario[] = ROUNDS.map((round) => ({
  name: `crash ${Object.values(round).flat().join(', ')}`,
  run: async (harness) => {
    const turns = harness.isLong ? FLOWS.map((flow) => [flow]) : [FLOWS];
    for (const flows of turns) await crashDuring(harness, round, flows);
  },
}));

async function crashDuring(
  harness: Harness,
  round: Record<string, CrashPoint[]>,
  flows: Flow[],
): Promise<void> {
  // This customer already exists, so the flows that use it need not wait for a sign-up.
  const [known] = harness.installation.regulars;
  const victims = Object.entries(round).map(([name, points]) => new Victim(harness, name, points));
  await Promise.all(victims.map((victim) => victim.arm()));
  const flowing = async () => {
    await Promise.all(flows.map((flow) => flow(harness, known)));
    const stopping = victims.find(({ name, isDone }) => round[name][0] === AT_STOP && !isDone);
    stopping?.process.kill('SIGTERM');
    await more(harness, known, victims);
  };
  await Promise.all([flowing(), ...victims.map((victim) => victim.supervise())]);
  const gateways = victims.filter(({ name }) => name.startsWith('gateway'));
  const outages = victims.map(({ awayMs, diedAt }) => awayMs + (diedAt.length - 1) * SESSION_MS);
  await checkRest(harness, {
    gatewayKillsAt: gateways.flatMap(({ diedAt }) => diedAt),
    outageMs: Math.max(...outages),
  });
}

/** Repeats parts of the flows until all processes have died, because the flows do not reach later passes. */
async function more({ installation }: Harness, known: Customer, victims: Victim[]): Promise<void> {
  await eventually('the pass that kills', async () => {
    if (victims.every(({ isDone }) => isDone)) return true;
    await installation.pay(known.accountId);
    await installation.limit(known.accountId);
    await known.lookUpOnce();
    // Hashing a password is expensive, so the customer logs in only while a crash point of the account service has not
    // been reached.
    if (victims.some(({ name, isDone }) => name === 'account' && !isDone)) await known.state();
    await installation.grant(known.accountId, BRIEF_CREDITS, BRIEF_MS);
    await known.spendable();
    return false;
  });
}

/** A trigger: while it exists, the handler of a payment fails with a temporary error. */
const OBSTACLE = `
create function entitlement.obstacle() returns trigger language plpgsql as
  $$ begin raise exception 'an obstacle of the fault matrix'; end $$;
create trigger obstacle before insert on entitlement.payment_lines
  for each row execute function entitlement.obstacle();`;
const NO_OBSTACLE = 'drop function if exists entitlement.obstacle() cascade';

/** A payment that the database refuses is set aside, and its credits are granted once when the obstacle is removed. */
export const crashFailedEventsRow: Scenario = {
  name: 'crash failed-event.before-commit, failed-event-retry.before-commit',
  run: async (harness) => {
    const { installation } = harness;
    const [known] = installation.regulars;
    const points = ['failed-event.before-commit', 'failed-event-retry.before-commit'] as const;
    const victim = new Victim(harness, 'entitlement', points);
    const startedAt = performance.now();
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
      await installation.sql(NO_OBSTACLE);
      await installation.checker.granted(paymentId);
    };
    try {
      await victim.during(flow);
    } finally {
      await installation.sql(NO_OBSTACLE);
    }
    await known.lookUpAny();
    await checkRest(harness, { outageMs: performance.now() - startedAt });
  },
};
