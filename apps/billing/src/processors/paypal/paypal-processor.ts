import { type Clock, DAY_MS, HOUR_MS, type Micros } from '#libs/platform';
import type {
  CallbackVerdict,
  ChangeRequest,
  ChangeResult,
  CheckoutLine,
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  EventPage,
  CallResult,
  PaymentProcessor,
  ProcessorCapabilities,
  ProcessorEvent,
  ProcessorRef,
  ProcessorSnapshot,
  RefundRequest,
  RefundSnapshot,
  SubscriptionSnapshot,
  TaxChangeRequest,
  UpgradeRequest,
  UpgradeResult,
} from '../payment-processor.js';
import type { CallRate } from '../call-rate.js';
import { PaypalCallbacks } from './paypal-callbacks.js';
import { PaypalCertificates } from './paypal-certificates.js';
import { PaypalClient } from './paypal-client.js';
import { readEvents } from '../event-stretch.js';
import { PaypalConnection, PaypalUnreachable } from './paypal-connection.js';
import { eventOf } from './paypal-events.js';
import { linkOf, toMoney } from './paypal-objects.js';
import { PaypalOrders } from './paypal-orders.js';
import { latestDispute, listPaypalMoney } from './paypal-money.js';
import { resultOf } from './paypal-result.js';
import { disputeSnapshot, paymentSnapshot, refundSnapshot } from './paypal-snapshots.js';
import { KnownSubscriptions } from './subscriptions/known-subscription.js';
import { PaidChanges } from './subscriptions/paid-changes.js';
import { PaypalPlans } from './subscriptions/paypal-plans.js';
import { PaypalSubscriptions } from './subscriptions/paypal-subscriptions.js';
import { SaleBills } from './subscriptions/sale-bills.js';
import { SubscriptionsClient } from './subscriptions/subscriptions-client.js';

export interface PaypalOptions {
  /** `https://api-m.paypal.com`, PayPal's sandbox, or a simulator. */
  apiUrl: string;
  clientId: string;
  clientSecret: () => string;
  /** Ids of our endpoint at PayPal; two ids while one is being replaced. */
  webhookIds: readonly string[];
  /** PEM of the authorities for the certificates of callbacks; Node's own if omitted. */
  authorities?: readonly string[];
  returnUrl: string;
  rate: CallRate;
  clock: Clock;
}

const EVENT_PAGES_MAX = 20;
const AUTOMATIC_PAYMENTS = '/myaccount/autopay/';
const SITES: Readonly<Record<string, string>> = {
  'https://api-m.paypal.com': 'https://www.paypal.com',
  'https://api-m.sandbox.paypal.com': 'https://www.sandbox.paypal.com',
};

/**
 * Connects to PayPal through our own client, because PayPal's SDK neither verifies callbacks nor supports another host.
 */
export class PaypalProcessor implements PaymentProcessor {
  readonly name = 'paypal';
  readonly capabilities: ProcessorCapabilities = {
    refundsPartly: true,
    // The shorter of the documented times: orders 6 hours, subscriptions 3 days.
    idempotencyMs: 6 * HOUR_MS,
    // PayPal documents 45 days. A fault that has hidden the answer for 30 needs an operator.
    refundIdempotencyMs: 30 * DAY_MS,
    announcesExpiry: false,
    announcesRenewals: false,
    findsCheckouts: false,
    changesNeedApproval: true,
    // PayPal's rules for the prices of subscriptions that are paid from a PayPal account.
    priceNoticeMs: 10 * DAY_MS,
  };

  private readonly client: PaypalClient;
  private readonly orders: PaypalOrders;
  private readonly subscriptions: PaypalSubscriptions;
  private readonly changes: PaidChanges;
  private readonly sales: SaleBills;
  private readonly callbacks: PaypalCallbacks;

  constructor(private readonly options: PaypalOptions) {
    const { apiUrl, authorities, clock, webhookIds } = options;
    const connection = new PaypalConnection(options);
    const certificates = new PaypalCertificates({ connection, clock, authorities });
    this.client = new PaypalClient(connection);
    this.orders = new PaypalOrders(this.client, clock);
    const subscriptions = new SubscriptionsClient(connection);
    const plans = new PaypalPlans(subscriptions);
    const known = new KnownSubscriptions(subscriptions, plans, clock);
    const parts = { client: subscriptions, plans, known, clock };
    this.changes = new PaidChanges({ ...parts, orders: this.client, returnUrl: options.returnUrl });
    this.subscriptions = new PaypalSubscriptions({ ...parts, changes: this.changes });
    this.sales = new SaleBills(subscriptions, known, this.changes);
    this.callbacks = new PaypalCallbacks({ certificates, clock, apiUrl, webhookIds });
  }

  createCheckout(request: CheckoutRequest): Promise<CallResult<CreatedCheckout>> {
    const line = request.lines.find(isPlanned);
    return resultOf(() =>
      line ? this.subscriptions.create(request, line) : this.orders.create(request),
    );
  }

  /** Does nothing: the fetch that follows captures the order, as it does after a callback. */
  async completeReturn(checkoutId: string): Promise<CallResult<ProcessorRef>> {
    return { outcome: 'done', value: { kind: 'checkout', id: checkoutId } };
  }

  closeCheckout(checkoutId: string): Promise<CallResult<CheckoutSnapshot>> {
    if (!isSubscriptionId(checkoutId)) return resultOf(() => this.orders.close(checkoutId));
    // The offer of a subscription ends by itself after three hours.
    const message = 'an offer of a subscription cannot be withdrawn at PayPal';
    return Promise.resolve({ outcome: 'refused', code: 'not_closable', message });
  }

  /**
   * Finds nothing, because orders cannot be searched. If the answer to a creation was lost, no customer was redirected
   * to that order.
   */
  async findCheckout(): Promise<CallResult<CheckoutSnapshot | null>> {
    return { outcome: 'done', value: null };
  }

  verifyCallback(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict> {
    return this.callbacks.verify(raw, headers);
  }

  fetch({ kind, id }: ProcessorRef): Promise<CallResult<ProcessorSnapshot>> {
    const { client } = this;
    return resultOf(async () => {
      switch (kind) {
        case 'checkout':
          return isSubscriptionId(id)
            ? this.subscriptions.fetchCheckout(id)
            : this.orders.fetch(id);
        case 'payment':
          return paymentSnapshot(await client.getCapture(id));
        case 'refund':
          return this.fetchRefund(id);
        case 'dispute':
          return disputeSnapshot(await client.getDispute(id));
        case 'subscription':
          return this.subscriptions.fetch(id);
        case 'bill':
          return (await this.changes.fetchBill(id)) ?? this.sales.fetch(id);
      }
    });
  }

  /** Fetches a refund. PayPal may report the money of a dispute as a refund before it reports the dispute. */
  private async fetchRefund(id: string): Promise<RefundSnapshot> {
    const refund = refundSnapshot(await this.client.getRefund(id));
    if (!refund.disputableAt) return refund;
    return { ...refund, disputeId: await latestDispute(this.client, refund.paymentId) };
  }

  refund({
    refundId,
    paymentId,
    amountMicros,
  }: RefundRequest): Promise<CallResult<RefundSnapshot>> {
    return resultOf(async () => {
      const { currency } = paymentSnapshot(await this.client.getCapture(paymentId));
      const body = { amount: toMoney(amountMicros, currency), custom_id: refundId };
      const key = `refund:${refundId}`;
      return refundSnapshot(await this.client.refundCapture(paymentId, body, key));
    });
  }

  /**
   * Finds a refund through its capture, which names the order that lists the refunds; the value is null if the list
   * lacks the refund.
   * @returns `unknown` for a subscription's payment, because PayPal does not list the refunds of such payments.
   */
  findRefund(refundId: string, paymentId: string): Promise<CallResult<RefundSnapshot | null>> {
    return resultOf(async () => {
      const order = await this.orders.orderOf(paymentId);
      if (!order) throw new PaypalUnreachable(`nothing lists the refunds of ${paymentId}`);
      const refunds =
        order.purchase_units?.flatMap(({ payments }) => payments?.refunds ?? []) ?? [];
      const found = refunds.find(({ custom_id }) => custom_id === refundId);
      return found ? refundSnapshot(found) : null;
    });
  }

  previewChange(request: ChangeRequest, from: Date): Promise<CallResult<{ dueMicros: Micros }>> {
    return resultOf(() => this.changes.preview(request, from));
  }

  upgrade(request: UpgradeRequest): Promise<CallResult<UpgradeResult>> {
    return resultOf(() => this.changes.upgrade(request));
  }

  changeAtPeriodEnd(request: ChangeRequest): Promise<CallResult<ChangeResult>> {
    return resultOf(() => this.changes.changeAtPeriodEnd(request));
  }

  dropChange(subscriptionId: string): Promise<CallResult<unknown>> {
    return resultOf<unknown>(() => this.changes.drop(subscriptionId));
  }

  setPlan(request: ChangeRequest): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(async () => {
      await this.changes.setPlan(request);
      return this.subscriptions.fetch(request.subscriptionId);
    });
  }

  changeTax(request: TaxChangeRequest): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(async () => {
      await this.changes.changeTax(request);
      return this.subscriptions.fetch(request.subscriptionId);
    });
  }

  cancel(
    subscriptionId: string,
    when: 'period_end' | 'now',
  ): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(() => this.subscriptions.cancel(subscriptionId, when));
  }

  resume(subscriptionId: string): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(() => this.subscriptions.resume(subscriptionId));
  }

  /**
   * Returns the URL of PayPal's page for automatic payments. It is the same for everyone who is logged in there, and
   * the page has no link back to us.
   */
  async paymentUpdateUrl(): Promise<CallResult<string>> {
    const { apiUrl } = this.options;
    return { outcome: 'done', value: `${SITES[apiUrl] ?? apiUrl}${AUTOMATIC_PAYMENTS}` };
  }

  listMoney(start: Date, end: Date): Promise<CallResult<ProcessorRef[]>> {
    return resultOf(() => listPaypalMoney(this.client, start, end));
  }

  listSince(cursor: Date): Promise<CallResult<EventPage>> {
    return resultOf(() =>
      readEvents(cursor, this.options.clock.now(), (start, end) => this.eventsBetween(start, end)),
    );
  }

  /**
   * Lists the events from `start` on and before `end`. PayPal includes both times, and documents neither the order of
   * the events nor the page size. @returns undefined if there are too many pages.
   */
  private async eventsBetween(start: Date, end: Date): Promise<ProcessorEvent[] | undefined> {
    const found = new Map<string, ProcessorEvent>();
    let page = await this.client.listEvents(start, end);
    for (let pages = 1; ; pages += 1) {
      for (const listed of page.events ?? []) {
        const event = eventOf(listed);
        if (event && event.occurredAt >= start && event.occurredAt < end)
          found.set(event.id, event);
      }
      const next = linkOf(page.links, 'next');
      if (next === undefined) break;
      if (pages === EVENT_PAGES_MAX) return undefined;
      page = await this.client.nextEvents(next);
    }
    return [...found.values()].toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  }
}

const isPlanned = (line: CheckoutLine): line is Required<CheckoutLine> => line.plan !== undefined;

/** Whether a checkout is for a subscription. If so, the subscription itself is the checkout. */
const isSubscriptionId = (id: string) => id.startsWith('I-');
