import {
  type BalanceAnswer,
  type OrderAnswer,
  type OrderLineAnswer,
  type OrderState,
  PROCESSOR_TITLES,
  type SubscriptionAnswer,
  planOfSku,
} from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { type Markup, html } from '#libs/public-http';
import { day, grouped, money } from '../amounts.js';
import { orderNumber } from './grants-table.js';
import { type Notice, type PageContext, form, page } from '../pages/layout.js';

export interface OrderFacts {
  order: OrderAnswer;
  /** The account's credits; undefined if entitlement is unavailable. */
  balance?: BalanceAnswer;
  /** The account's subscriptions, if the order has a plan; otherwise, or if billing refuses to list them, empty. */
  subscriptions?: readonly SubscriptionAnswer[];
  wasCancelled?: boolean;
  now: Date;
}

/**
 * How long an order states what its payment granted. Later, its credits may be used up, and its plan changed or ended.
 */
const NEWS_MS = 14 * DAY_MS;

/** The notice for a customer who has returned from the processor's page without paying. */
const PAYMENT_CANCELLED: Notice = {
  kind: 'note',
  text: 'You cancelled the payment. Nothing was charged.',
};

const ORDER_WORDS: Readonly<Record<OrderState, string>> = {
  created: 'Being prepared',
  redirected: 'Waiting for your payment',
  processing: 'Payment being processed',
  paid: 'Paid',
  expired: 'Not paid in time',
  failed: 'Payment failed',
  cancelled: 'Cancelled',
  partially_refunded: 'Refunded in part',
  refunded: 'Refunded',
  disputed: 'Disputed',
};

const EXPLAINED: Readonly<Record<OrderState, string>> = {
  created: 'The processor has not answered yet. Load the page again in a moment.',
  redirected: 'Waiting for your payment.',
  processing: 'The payment is being processed, which can take days. Credits arrive with the money.',
  paid: 'Paid.',
  expired: 'The payment page has expired. Nothing was charged.',
  failed: 'The payment failed. Nothing was charged.',
  cancelled: 'Cancelled. Nothing was charged.',
  partially_refunded: 'Paid, and refunded in part.',
  refunded: 'Refunded.',
  disputed: 'You or your bank disputed the payment.',
};

/** The states in which nothing has been charged. A customer who returned without paying is told so. */
const UNPAID: readonly OrderState[] = ['created', 'redirected', 'expired', 'failed', 'cancelled'];

const ENDED: readonly OrderState[] = ['expired', 'failed', 'cancelled'];

/**
 * Returns the page of an order. It links to the processor's page, because the dashboard's policy does not allow forms
 * to lead elsewhere.
 */
export function orderPage(context: PageContext, facts: OrderFacts): Markup {
  const { order } = facts;
  const { redirect_url: url } = order;
  return page(context, {
    title: 'Your order',
    notice: noticeOf(facts),
    body: html`<section>
      <h2>${orderText(order)}</h2>
      <p class="figure"><strong>${money(order.amount_micros, order.currency)}</strong></p>
      <dl class="facts">
        ${fact('Order', orderNumber(order.id))}
        ${
          order.tax_micros === '0'
            ? undefined
            : fact('Tax', `${money(order.tax_micros, order.currency)} of it`)
        }
        ${fact('Billed', intervalOf(order))}
        ${fact(canDrop(order) ? 'Pay with' : 'Processor', titleOf(order.processor))}
        ${fact('State', stateText(order))}
        ${url ? fact('Pay before', `${order.expires_at.slice(0, 16).replace('T', ' ')} UTC`) : undefined}
      </dl>
      ${canDrop(order) ? waitingActions(context, order) : undefined} ${filesLink(facts)}
      <p>
        ${ENDED.includes(order.state) ? orderAgain(order) : undefined}
        <a href="/subscriptions">Subscriptions</a> · <a href="/invoices">Invoices</a>
      </p>
    </section>`,
  });
}

const stateText = (order: OrderAnswer) =>
  isRefused(order)
    ? 'The payment was declined. The order waits until you pay in another way or cancel it.'
    : EXPLAINED[order.state];

/** Whether a payment of the order was declined, and the order may still be paid. */
const isRefused = (order: OrderAnswer) => order.declined_at !== null && canDrop(order);

const orderAgain = ({ lines }: OrderAnswer): Markup =>
  lines.some(({ credits }) => credits === null)
    ? html`<a href="/plans">See all plans</a> ·`
    : html`<a href="/credits">Buy credits</a> ·`;

/** Whether the order can be cancelled, because no money has arrived or is in transit. */
const canDrop = ({ state }: OrderAnswer) => state === 'created' || state === 'redirected';

function waitingActions(context: PageContext, { id, redirect_url: url }: OrderAnswer): Markup {
  return html`<div class="actions">
    ${url ? html`<a class="button" href="${url}">Pay on the processor’s page</a>` : undefined}
    ${form(context, `/credits/orders/${id}/drop`, html`<button class="plain">Cancel this order</button>`)}
  </div>`;
}

export const orderWords = (order: OrderAnswer) =>
  isRefused(order)
    ? 'Payment declined: pay in another way, or cancel it'
    : ORDER_WORDS[order.state];

export function orderText({ lines }: OrderAnswer): string {
  return lines.map(lineText).join(', ');
}

function lineText({ credits, sku, quantity }: OrderLineAnswer): string {
  if (credits !== null) return `${grouped(Number(credits))} credits`;
  const name = planOfSku(sku)?.name ?? sku;
  return quantity > 1 ? `${name} × ${quantity}` : name;
}

/**
 * Returns a link to the files; undefined unless the order is paid, and its Domainer plan, which gives access to them,
 * is active.
 */
function filesLink({ order, subscriptions }: OrderFacts): Markup | undefined {
  const opens = order.lines.some(
    (line) => line.kind === 'domainer' && isActive(line, subscriptions),
  );
  if (order.state !== 'paid' || !opens) return undefined;
  return html`<p class="actions"><a class="button" href="/files">Download the files</a></p>`;
}

const isActive = (line: OrderLineAnswer, subscriptions: OrderFacts['subscriptions'] = []) =>
  subscriptions.some(
    (one) => isCurrent(one, line) && (one.state === 'active' || one.state === 'trialing'),
  );

const isCurrent = ({ is_current, sku }: SubscriptionAnswer, line: OrderLineAnswer) =>
  is_current && sku === line.sku;

function noticeOf(facts: OrderFacts): Notice | undefined {
  const { order, wasCancelled, now } = facts;
  if (order.state === 'paid') {
    if (now.getTime() - Date.parse(order.created_at) > NEWS_MS) return undefined;
    const paid = money(order.amount_micros, order.currency);
    const arrived = order.lines.map((line) => arrivalOf(line, facts));
    return { kind: 'done', text: `Your payment of ${paid} arrived: ${arrived.join(', ')}.` };
  }
  if (isRefused(order)) return refusedNotice(order);
  if (!wasCancelled || !UNPAID.includes(order.state)) return undefined;
  return PAYMENT_CANCELLED;
}

function refusedNotice({ processor, amount_micros, currency }: OrderAnswer): Notice {
  const [title, amount] = [titleOf(processor), money(amount_micros, currency)];
  return {
    kind: 'fault',
    text: `${title} declined the payment of ${amount}. Nothing was charged. Choose another way to pay on ${title}’s page, or cancel this order.`,
  };
}

function arrivalOf(line: OrderLineAnswer, { order, balance, subscriptions }: OrderFacts): string {
  if (line.credits !== null) {
    const isThere = balance?.grants.some(({ order_id: id }) => id === order.id) ?? true;
    const onTheWay = isThere ? '' : ' (on their way: load the page again in a moment)';
    return `${lineText(line)} that never expire${onTheWay}`;
  }
  const monthly = (planOfSku(line.sku)?.monthlyCredits ?? 0) * line.quantity;
  if (monthly === 0) {
    if (isActive(line, subscriptions)) return `${lineText(line)} is active`;
    const ofKind = subscriptions?.filter((one) => one.line === line.kind) ?? [];
    // The plan may have been changed or ended since.
    const isExpected = ofKind.length === 0 || ofKind.some((one) => isCurrent(one, line));
    return isExpected ? `${lineText(line)} begins within moments` : lineText(line);
  }
  const until = firstEnd(monthly, order, balance);
  const credits = `${grouped(monthly)} credits`;
  return until
    ? `${credits}, which expire when the next ones arrive, at the latest on ${day(until)} (UTC)`
    : `${credits} a month, from now on`;
}

/** Returns when the credits of a plan's first month expire; undefined if they have not arrived or cannot be read. */
function firstEnd(
  monthly: number,
  { created_at: ordered }: OrderAnswer,
  balance: BalanceAnswer | undefined,
): string | undefined {
  const ends = (balance?.grants ?? [])
    .filter(({ source_type: type, granted }) => type === 'subscription' && granted === monthly)
    .flatMap(({ expires_at: end }) => (end !== null && end > ordered ? [end] : []));
  return ends.toSorted().at(0);
}

function intervalOf({ lines }: OrderAnswer): string {
  const plan = planOfSku(lines.at(0)?.sku ?? '');
  return plan ? `Every ${plan.interval}, until you cancel` : 'Once';
}

const titleOf = (processor: string) =>
  (PROCESSOR_TITLES as Readonly<Record<string, string>>)[processor] ?? processor;

function fact(name: string, text: string): Markup {
  return html`<div>
    <dt>${name}</dt>
    <dd>${text}</dd>
  </div>`;
}
