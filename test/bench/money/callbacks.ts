import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { OrderAnswer } from '#libs/contracts';
import type { BillingUnderTest } from '../../billing/billing-under-test.js';
import type { Callback } from '../../../apps/simulators/src/payments/callback-sender.js';
import { type BenchRow, inLanes, timesRows } from '../bench.js';
import { cleanup } from '../cleanup.js';
import type { CallbackLoad, CallbackTime } from './callback-load.js';

const SKU = 'api-15K-month';
export const AT_ONCE = 8;
const PER_SECOND = 200;
const SENT_MAX = 3_000;
const TARGET_MS = 200;

/**
 * Everybody subscribes at once: what Stripe says of it arrives at a steady rate and is fetched meanwhile. What
 * is left over afterwards is delivered as fast as it is taken, so that all subscriptions run at the end.
 */
export async function answerTimes(
  billing: BillingUnderTest,
  subscriptions: number,
): Promise<BenchRow[]> {
  const held = await heldDuring(billing, () => subscribeAll(billing, subscriptions));
  const sent = held.slice(0, SENT_MAX);
  const startedMs = performance.now();
  const times = await sendSteadily(billing, sent);
  const refused = times.filter(({ status }) => status !== 200).length;
  if (refused > 0) throw new Error(`${refused} callbacks were not taken`);
  const answeredMs = performance.now();
  await billing.settle();
  const handledMs = performance.now();
  await deliverAll(billing, held.slice(SENT_MAX));
  await expectPayments(billing, subscriptions);
  const millis = times.map(({ ms }) => ms);
  const what = `${sent.length} callbacks at ${PER_SECOND}/s: answered`;
  return [
    ...timesRows(what, millis, TARGET_MS),
    { what: 'reached rate', value: (times.length * 1000) / (answeredMs - startedMs), unit: '/s' },
    {
      what: 'all of them handled after the last',
      value: (handledMs - answeredMs) / 1000,
      unit: 's',
    },
  ];
}

/** What the processor wanted to say meanwhile. */
export async function heldDuring(
  { simulator: { callbacks } }: BillingUnderTest,
  work: () => unknown,
): Promise<readonly Callback[]> {
  callbacks.hold();
  await work();
  return callbacks.takeHeld();
}

/** Some at a time, until all are answered and handled. */
export async function deliverAll(
  billing: BillingUnderTest,
  callbacks: readonly Callback[],
): Promise<void> {
  const { secret } = billing.simulator.callbacks.target!;
  await inLanes(callbacks, AT_ONCE, async (callback) => {
    const body = Buffer.from(callback.body);
    const headers = callback.headers(secret);
    const { status } = await billing.call('POST', 'callbacks/stripe', { body, headers });
    if (status !== 200) throw new Error(`a callback was answered ${status}`);
  });
  await billing.settle();
}

/** @throws unless each was stored once and nothing failed. */
export async function expectPayments({ database, logLines }: BillingUnderTest, expected: number) {
  const [{ paid, due }] = await database.query<Record<'paid' | 'due', number>>(
    `select (select count(*) from payments)::int as paid,
       (select count(*) from work where queue = 'processor-objects')::int as due`,
  );
  if (paid === expected && due === 0 && logLines.length === 0) return;
  throw new Error(`${paid} of ${expected} payments, ${due} objects due; ${logLines.join('; ')}`);
}

async function subscribeAll(billing: BillingUnderTest, count: number): Promise<void> {
  const places = Array.from({ length: count }, (_, at) => at);
  await inLanes(places, AT_ONCE, async () => {
    const body = { product: 'subscription', sku: SKU, processor: 'stripe' };
    const accountId = billing.newAccount();
    const answer = await billing.call('POST', 'orders', { accountId, body });
    if (answer.status !== 201) throw new Error(`an order was answered ${answer.status}`);
    const page = new URL((answer.body as OrderAnswer).redirect_url as string);
    billing.simulator.sessions.pay(page.pathname.split('/').at(-1) as string);
  });
}

async function sendSteadily(
  { simulator }: BillingUnderTest,
  callbacks: readonly Callback[],
): Promise<CallbackTime[]> {
  const { url, secret } = simulator.callbacks.target!;
  const workerData: CallbackLoad = {
    url,
    perSecond: PER_SECOND,
    callbacks: callbacks.map(({ body, headers }) => ({ body, headers: headers(secret) })),
  };
  const sender = new Worker(new URL('./callback-load.js', import.meta.url), { workerData });
  cleanup.add(async () => sender.terminate());
  const [times] = (await once(sender, 'message')) as [CallbackTime[]];
  return times;
}
