import { type Clock, HOUR_MS } from '#libs/platform';
import type {
  CallbackVerdict,
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  EventPage,
  Outcome,
  PaymentProcessor,
  ProcessorCapabilities,
  ProcessorEvent,
  ProcessorRef,
  ProcessorSnapshot,
  RefundRequest,
  RefundSnapshot,
} from '../payment-processor.js';
import { PaypalCallbacks } from './paypal-callbacks.js';
import { PaypalCertificates } from './paypal-certificates.js';
import { PaypalClient } from './paypal-client.js';
import { PaypalConnection, PaypalUnreachable } from './paypal-connection.js';
import { eventOf } from './paypal-events.js';
import { linkOf, toMoney } from './paypal-objects.js';
import { PaypalOrders } from './paypal-orders.js';
import { outcomeOf } from './paypal-outcome.js';
import { disputeSnapshot, paymentSnapshot, refundSnapshot } from './paypal-snapshots.js';

export interface PaypalOptions {
  /** `https://api-m.paypal.com`, its sandbox, or a simulator. */
  apiUrl: string;
  clientId: string;
  clientSecret: string;
  /** Ids of our endpoint at PayPal; two while it is replaced. */
  webhookIds: readonly string[];
  /** PEM of the authorities behind callbacks' certificates; Node's own where it is left out. */
  authorities?: readonly string[];
  clock: Clock;
}

/** Events of a stretch of time are read at once. */
const EVENT_WINDOW_MS = HOUR_MS;
const EVENT_PAGES_MAX = 100;
/** Orders alone so far. */
const NOT_OFFERED = {
  outcome: 'refused',
  code: 'not_offered',
  message: 'PayPal takes no subscriptions here',
} as const;

/** PayPal, through a client of our own: its SDK neither checks callbacks nor talks to another host. */
export class PaypalProcessor implements PaymentProcessor {
  readonly name = 'paypal';
  readonly capabilities: ProcessorCapabilities = {
    refundsPartly: true,
    // What PayPal promises for orders; refunds are kept for 45 days.
    idempotencyMs: 6 * HOUR_MS,
    announcesExpiry: false,
    findsCheckouts: false,
    changesNeedApproval: true,
  };

  private readonly client: PaypalClient;
  private readonly orders: PaypalOrders;
  private readonly callbacks: PaypalCallbacks;

  constructor(private readonly options: PaypalOptions) {
    const { apiUrl, authorities, clock, webhookIds } = options;
    const connection = new PaypalConnection(options);
    const certificates = new PaypalCertificates({ connection, clock, authorities });
    this.client = new PaypalClient(connection);
    this.orders = new PaypalOrders(this.client, clock);
    this.callbacks = new PaypalCallbacks({ certificates, clock, apiUrl, webhookIds });
  }

  createCheckout(request: CheckoutRequest): Promise<Outcome<CreatedCheckout>> {
    if (request.lines.some(({ plan }) => plan)) return Promise.resolve(NOT_OFFERED);
    return outcomeOf(() => this.orders.create(request));
  }

  /** The fetch that follows captures, as the one after a callback does. */
  async completeReturn(checkoutId: string): Promise<Outcome<ProcessorRef>> {
    return { outcome: 'done', value: { kind: 'checkout', id: checkoutId } };
  }

  closeCheckout(checkoutId: string): Promise<Outcome<CheckoutSnapshot>> {
    return outcomeOf(() => this.orders.close(checkoutId));
  }

  /** Orders cannot be searched. Whose creation's answer was lost, nobody was ever sent to. */
  async findCheckout(): Promise<Outcome<CheckoutSnapshot | null>> {
    return { outcome: 'done', value: null };
  }

  verifyCallback(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict> {
    return this.callbacks.verify(raw, headers);
  }

  fetch({ kind, id }: ProcessorRef): Promise<Outcome<ProcessorSnapshot>> {
    const { client } = this;
    if (kind === 'subscription' || kind === 'bill') return Promise.resolve(NOT_OFFERED);
    return outcomeOf(async () => {
      switch (kind) {
        case 'checkout':
          return this.orders.fetch(id);
        case 'payment':
          return paymentSnapshot(await client.getCapture(id));
        case 'refund':
          return refundSnapshot(await client.getRefund(id));
        case 'dispute':
          return disputeSnapshot(await client.getDispute(id));
      }
    });
  }

  refund({ refundId, paymentId, amountMicros }: RefundRequest): Promise<Outcome<RefundSnapshot>> {
    return outcomeOf(async () => {
      const { currency } = paymentSnapshot(await this.client.getCapture(paymentId));
      const body = { amount: toMoney(amountMicros, currency), custom_id: refundId };
      const key = `refund:${refundId}`;
      return refundSnapshot(await this.client.refundCapture(paymentId, body, key));
    });
  }

  /** A capture names its order, which lists what was refunded of it. */
  findRefund(refundId: string, paymentId: string): Promise<Outcome<RefundSnapshot | null>> {
    return outcomeOf(async () => {
      const order = await this.orders.orderOf(paymentId);
      const refunds =
        order.purchase_units?.flatMap(({ payments }) => payments?.refunds ?? []) ?? [];
      const found = refunds.find(({ custom_id }) => custom_id === refundId);
      return found ? refundSnapshot(found) : null;
    });
  }

  setPlan = async () => NOT_OFFERED;
  previewChange = async () => NOT_OFFERED;
  upgrade = async () => NOT_OFFERED;
  changeAtPeriodEnd = async () => NOT_OFFERED;
  cancel = async () => NOT_OFFERED;
  resume = async () => NOT_OFFERED;
  paymentUpdateUrl = async () => NOT_OFFERED;

  listSince(cursor: Date): Promise<Outcome<EventPage>> {
    return outcomeOf(async () => {
      const now = this.options.clock.now();
      const end = new Date(Math.min(cursor.getTime() + EVENT_WINDOW_MS, now.getTime()));
      const events = await this.eventsBetween(cursor, end);
      return { events, cursor: end, hasMore: end < now };
    });
  }

  /** From `start`, before `end`: PayPal counts both in, and names neither order nor size of its pages. */
  private async eventsBetween(start: Date, end: Date): Promise<ProcessorEvent[]> {
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
      if (pages === EVENT_PAGES_MAX) throw new PaypalUnreachable('the list of events has no end');
      page = await this.client.nextEvents(next);
    }
    return [...found.values()].toSorted((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime());
  }
}
