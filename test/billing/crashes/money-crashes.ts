import { deepStrictEqual } from 'node:assert';
import type { ChosenProcessor } from '#libs/contracts';
import { type CrashPoint, DAY_MS, HOUR_MS, MINUTE_MS } from '#libs/platform';
import type { ToldHistory } from '../../entitlement/histories/told-history.js';
import { OpenOrdersJob } from '../../../apps/billing/src/missed-news/open-orders.job.js';
import type { MoneyCommand } from '../histories/money-commands.js';
import { type Action, MoneyHistory } from '../histories/money-history.js';
import { pressButton } from '../hosted-page.js';
import type { Crash, KillableBilling } from './killable-billing.js';

type MoneyStep = MoneyCommand | Action;

/** Steps of a customer, an operator or a bank, during which billing is killed. */
interface Flow {
  processor?: ChosenProcessor;
  before?: readonly MoneyStep[];
  steps: readonly MoneyStep[];
  /** The possible results once everything is repaired. The second result applies if a request was never accepted. */
  ends: readonly string[];
  after?: readonly [steps: readonly MoneyStep[], end: string];
}

/** A quarter of an hour later, the customer pays for the newest order, if it is still open. */
const payLater: Action = async (history) => {
  await history.billing.pass(15 * MINUTE_MS);
  await history.billing.runJob(OpenOrdersJob);
  const [newest] = await ordersOf(history);
  if (newest?.redirect_url) await pressButton(newest.redirect_url, 'pay');
};

/** Time passes until this many milliseconds before the end of the paid period. */
const untilEnd =
  (beforeMs: number): Action =>
  async (history) => {
    const [{ period_end: end }] = await subscriptionsOf(history);
    const { billing } = history;
    await billing.pass(Date.parse(end) - beforeMs - billing.clock.now().getTime());
  };

const changeSlowly =
  (sku: string): Action =>
  (history) =>
    history.ofSubscription('change', { sku }, 'delayed');

/** PayPal begins to bill each period this many milliseconds before the end of the previous one. */
const billEarly =
  (earlyMs: number): Action =>
  async ({ billing }) => {
    billing.simulator.paypal.subscriptions.earlyMs = earlyMs;
  };

const BUY: MoneyStep = { kind: 'buy', credits: 15_000, action: 'pay' };
const SUBSCRIBE: MoneyStep = { kind: 'subscribe', sku: 'api-15K-month' };
const BOUGHT = '54000000 kept, 1 announced, order paid';
const SUBSCRIBED = '27000000 kept, 1 announced, order paid, active api-15K-month';

const FLOWS = {
  package: { steps: [BUY, payLater], ends: [BOUGHT] },
  subscription: { steps: [SUBSCRIBE, payLater], ends: [SUBSCRIBED] },
  upgrade: {
    before: [SUBSCRIBE],
    steps: [{ kind: 'change', sku: 'api-50K-month' }],
    ends: ['75000000 kept, 2 announced, order paid, active api-50K-month', SUBSCRIBED],
  },
  refund: {
    before: [SUBSCRIBE],
    steps: [{ kind: 'refund', pick: 0, scope: 'whole', cents: undefined }],
    ends: ['0 kept, 1 announced, order refunded, cancelled api-15K-month, ended there'],
  },
  /** The restoration undoes only the changes that the deletion made. */
  deletion: {
    before: [SUBSCRIBE],
    steps: [{ kind: 'delete' }],
    ends: [`${SUBSCRIBED}, ending`],
    after: [[{ kind: 'advance', days: 1 }, { kind: 'restore' }], SUBSCRIBED],
  },
  restoration: {
    before: [SUBSCRIBE, { kind: 'delete' }, { kind: 'advance', days: 1 }],
    steps: [{ kind: 'restore' }],
    ends: [SUBSCRIBED],
  },
  renewal: {
    before: [SUBSCRIBE],
    steps: [untilEnd(0)],
    ends: ['54000000 kept, 2 announced, order paid, active api-15K-month'],
  },
  cancellation: {
    before: [SUBSCRIBE],
    steps: [{ kind: 'cancel' }],
    ends: [`${SUBSCRIBED}, ending`],
    after: [[{ kind: 'undo' }], SUBSCRIBED],
  },
  'undone cancellation': {
    before: [SUBSCRIBE, { kind: 'cancel' }],
    steps: [{ kind: 'undo' }],
    ends: [SUBSCRIBED],
  },
  /** PayPal bills early and has already skipped the cancelled subscription, so the cancellation cannot be undone. */
  'late undoing': {
    processor: 'paypal',
    before: [
      billEarly(8 * HOUR_MS),
      SUBSCRIBE,
      { kind: 'cancel' },
      billEarly(0),
      untilEnd(7 * HOUR_MS),
    ],
    steps: [{ kind: 'undo' }],
    ends: [`${SUBSCRIBED}, ending`],
    after: [
      [untilEnd(-HOUR_MS)],
      '27000000 kept, 1 announced, order paid, cancelled api-15K-month, ended there',
    ],
  },
  /** Needs two calls to Stripe: one creates a schedule, and one sets its phases. */
  downgrade: {
    before: [SUBSCRIBE],
    steps: [{ kind: 'change', sku: 'api-5K-month' }],
    ends: [`${SUBSCRIBED}, then api-5K-month`, SUBSCRIBED],
  },
  'change of interval': {
    before: [SUBSCRIBE],
    steps: [{ kind: 'change', sku: 'api-15K-year' }],
    ends: [`${SUBSCRIBED}, then api-15K-year`, SUBSCRIBED],
  },
  tax: {
    before: [SUBSCRIBE, { kind: 'move', country: 'CH' }],
    steps: [untilEnd(DAY_MS)],
    ends: [`${SUBSCRIBED}, tax 2190000`],
  },
  dispute: {
    before: [BUY],
    steps: [
      { kind: 'dispute', pick: 0 },
      { kind: 'decide', pick: 0, decision: 'lost' },
    ],
    ends: ['54000000 kept, 1 announced, order disputed'],
  },
  /** Billing is informed of the payment only when the account is deleted. */
  'money after a deletion': {
    before: [{ kind: 'holdCallbacks' }, BUY],
    steps: [{ kind: 'delete' }, { kind: 'releaseReversed' }],
    ends: ['0 kept, 0 announced, order refunded'],
  },
  /**
   * PayPal captures the payment for a plan change only after the current period has ended, and no callback reports it.
   */
  'late change': {
    processor: 'paypal',
    before: [SUBSCRIBE, untilEnd(DAY_MS), changeSlowly('api-50K-month'), { kind: 'dropCallbacks' }],
    steps: [{ kind: 'advance', days: 5 }, { kind: 'releaseReversed' }],
    ends: ['102000000 kept, 2 announced, order paid, active api-50K-month'],
  },
  /** Every callback is lost, but billing finds the changes when it polls the processor's events. */
  'lost callbacks': { before: [{ kind: 'dropCallbacks' }], steps: [BUY], ends: [BOUGHT] },
} satisfies Record<string, Flow>;
type FlowName = keyof typeof FLOWS;

const SYNC_POINTS = ['sync.after-fetch', 'sync.before-commit', 'sync.after-commit'] as const;

/** How many objects a flow fetches, if several: for example, a subscription with its checkout and its bill. */
const SYNCS: Partial<Record<FlowName, number>> = {
  subscription: 3,
  upgrade: 3,
  renewal: 2,
  downgrade: 2,
  'change of interval': 2,
  tax: 2,
  'late change': 3,
};

const OTHERS: Partial<Record<CrashPoint, readonly FlowName[]>> = {
  'order.after-commit': ['package'],
  'checkout.after-call': ['package', 'subscription'],
  'callback.after-commit': ['package', 'subscription', 'renewal', 'refund', 'dispute'],
  'outbox.after-commit': ['package', 'renewal', 'refund', 'dispute'],
  'refund.after-commit': ['refund', 'money after a deletion', 'late change'],
  'refund.after-call': ['refund', 'money after a deletion', 'late change'],
  'healing.after-store': ['lost callbacks'],
  'plan-change.after-call': [
    'upgrade',
    'cancellation',
    'undone cancellation',
    'downgrade',
    'change of interval',
    'tax',
  ],
  'resume.after-activation': ['late undoing'],
  'follow.after-mark': ['deletion', 'restoration'],
  'follow.after-call': ['deletion', 'restoration'],
};

export interface MoneyCrash extends Crash {
  flow: FlowName;
}

/** All crashes to try: every flow at each boundary between processes at which money can be lost. */
export const MONEY_CRASHES: readonly MoneyCrash[] = [
  ...Object.entries(OTHERS).flatMap(([point, flows]) =>
    flows.map((flow) => ({ point: point as CrashPoint, flow, pass: 1 })),
  ),
  ...(Object.keys(FLOWS) as FlowName[]).flatMap((flow) =>
    SYNC_POINTS.flatMap((point) =>
      Array.from({ length: SYNCS[flow] ?? 1 }, (_, at) => ({ point, flow, pass: at + 1 })),
    ),
  ),
];

/**
 * Calls that must reach the processor with the same idempotency key, however often they are sent. A change for the next
 * period, a cancellation and its undoing take no money and may be requested again.
 */
const CHANGING = /^\/v1\/(checkout\/sessions$|subscriptions\/|refunds$)/;
const ENDING = /\bcancel_at_period_end=/;

/**
 * Kills billing at one crash point, restarts it, and waits until it has repaired everything.
 * @throws Error if billing was not killed, or if the result or the idempotency keys are not as expected; the errors of
 *   the history.
 */
export async function crashOfMoney(
  billing: KillableBilling,
  { flow: name, ...crash }: MoneyCrash,
): Promise<ToldHistory> {
  const { processor = 'stripe', before = [], steps, ends, after }: Flow = FLOWS[name];
  const history = await MoneyHistory.begin(billing, processor);
  await history.run({ kind: 'move', country: 'US' });
  await live(history, before);
  await billing.restart(crash);
  const { deaths } = billing;
  const since = billing.simulator.stripe.calls;
  await live(history, steps);
  if (billing.deaths === deaths) await history.heal();
  deepStrictEqual(billing.deaths, deaths + 1, `it did not die at pass ${crash.pass}`);
  await history.end();
  const end = await summaryOf(history);
  deepStrictEqual(ends.includes(end), true, `it ended with: ${end}`);
  deepStrictEqual(callsUnderSeveralKeys(billing, since), []);
  if (after) {
    await live(history, after[0]);
    await history.end();
    deepStrictEqual(await summaryOf(history), after[1]);
  }
  return history.told(`${name}, ${crash.point}:${crash.pass}`);
}

async function live(history: MoneyHistory, steps: readonly MoneyStep[]): Promise<void> {
  for (const step of steps) {
    await (typeof step === 'function' ? history.act(step) : history.run(step));
  }
}

function callsUnderSeveralKeys({ simulator }: KillableBilling, since: number): string[] {
  const sent = simulator.stripe.requestsAfter(since).filter(({ method }) => method === 'POST');
  const calls = sent.filter(({ path, body }) => CHANGING.test(path) && !ENDING.test(body));
  return [...Map.groupBy(calls, ({ method, path }) => `${method} ${path}`)]
    .filter(([, same]) => new Set(same.map(({ idempotencyKey }) => idempotencyKey)).size > 1)
    .map(([call]) => call);
}

interface Order {
  state: string;
  redirect_url: string | null;
}

interface Subscription extends Record<'state' | 'sku' | 'tax_micros' | 'period_end', string> {
  cancel_at: string | null;
  pending_change: { sku: string } | null;
}

async function summaryOf(history: MoneyHistory): Promise<string> {
  const { paid, refunded } = await history.ourMoney();
  const events = await history.billing.events(history.accountId);
  const confirmed = events.filter(({ type }) => type === 'billing.payment-confirmed');
  const orders = await ordersOf(history);
  const [newest] = await subscriptionsOf(history);
  const parts = [
    `${paid - refunded} kept`,
    `${confirmed.length} announced`,
    ...orders.map(({ state }) => `order ${state}`),
    newest && `${newest.state} ${newest.sku}`,
    Number(newest?.tax_micros) > 0 && `tax ${newest.tax_micros}`,
    newest?.cancel_at && 'ending',
    newest && history.side.hasEndedLatest() && 'ended there',
    newest?.pending_change && `then ${newest.pending_change.sku}`,
  ];
  return parts.filter(Boolean).join(', ');
}

const ordersOf = async ({ billing, accountId }: MoneyHistory): Promise<Order[]> =>
  (await billing.call('GET', 'orders', { accountId })).body.orders;

const subscriptionsOf = async ({ billing, accountId }: MoneyHistory): Promise<Subscription[]> =>
  (await billing.call('GET', 'subscriptions', { accountId })).body.subscriptions;
