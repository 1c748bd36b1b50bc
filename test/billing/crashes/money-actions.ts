import { MINUTE_MS } from '#libs/platform';
import { OpenOrdersJob } from '../../../apps/billing/src/missed-news/open-orders.job.js';
import { pressButton } from '../hosted-page.js';
import type { Action, MoneyHistory } from '../histories/money-history.js';

interface Order {
  state: string;
  redirect_url: string | null;
}

interface Subscription extends Record<'state' | 'sku' | 'tax_micros' | 'period_end', string> {
  cancel_at: string | null;
  pending_change: { sku: string } | null;
}

/** The customer pays for an open order, a quarter of an hour later. */
export const payLater: Action = async (history) => {
  await history.billing.pass(15 * MINUTE_MS);
  await history.billing.runJob(OpenOrdersJob);
  const [newest] = await ordersOf(history);
  if (newest?.redirect_url) await pressButton(newest.redirect_url, 'pay');
};

/** Time passes until this many milliseconds before the end of the paid period. */
export const untilEnd =
  (beforeMs: number): Action =>
  async (history) => {
    const [{ period_end: end }] = await subscriptionsOf(history);
    const { billing } = history;
    await billing.pass(Date.parse(end) - beforeMs - billing.clock.now().getTime());
  };

export const changeSlowly =
  (sku: string): Action =>
  (history) =>
    history.ofSubscription('change', { sku }, 'delayed');

/** PayPal begins to bill each period this many milliseconds before the end of the previous one. */
export const billEarly =
  (earlyMs: number): Action =>
  async ({ billing }) => {
    billing.simulator.paypal.subscriptions.earlyMs = earlyMs;
  };

/**
 * Summarises the state that billing reports: the money kept, the announced payments, the orders and the newest
 * subscription.
 */
export async function summaryOf(history: MoneyHistory): Promise<string> {
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
