import { Stripe } from 'stripe';
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '#libs/platform';
import type {
  CallbackVerdict,
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  EventPage,
  Outcome,
  PaymentProcessor,
  ProcessorCapabilities,
  ProcessorRef,
  ProcessorSnapshot,
  RefundRequest,
  RefundSnapshot,
} from '../payment-processor.js';
import { StripeCallbacks, eventOf } from './stripe-callbacks.js';
import { outcomeOf } from './stripe-outcome.js';
import {
  checkoutSnapshot,
  disputeSnapshot,
  paymentSnapshot,
  refundSnapshot,
  toCents,
} from './stripe-snapshots.js';

export interface StripeOptions {
  apiKey: string;
  callbackSecrets: readonly string[];
  /** `https://api.stripe.com`, or a simulator. */
  apiUrl: string;
  clock: Clock;
}

const TIMEOUT_MS = 10 * SECOND_MS;
/** Events of a stretch of time are read at once; more than a page of them is paged through. */
const EVENT_WINDOW_MS = HOUR_MS;
const EVENTS_PAGE = 100;
const EVENTS_MAX = 10_000;

/**
 * Stripe, through its own SDK, in API version 2026-10-28.endive. The SDK's own retries are off: a call whose
 * outcome is unknown is repeated by billing, which remembers it.
 */
export class StripeProcessor implements PaymentProcessor {
  readonly name = 'stripe';
  readonly capabilities: ProcessorCapabilities = { refundsPartly: true, idempotencyMs: DAY_MS };
  private readonly stripe: Stripe;
  private readonly callbacks: StripeCallbacks;
  private readonly clock: Clock;

  constructor({ apiKey, apiUrl, callbackSecrets, clock }: StripeOptions) {
    const { protocol, hostname, port } = new URL(apiUrl);
    this.stripe = new Stripe(apiKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      ...(port !== '' && { port }),
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MS,
      telemetry: false,
    });
    this.clock = clock;
    const isLive = /^(sk|rk)_live_/.test(apiKey);
    const { stripe } = this;
    this.callbacks = new StripeCallbacks({ stripe, clock, secrets: callbackSecrets, isLive });
  }

  createCheckout(request: CheckoutRequest): Promise<Outcome<CreatedCheckout>> {
    return outcomeOf(async () => {
      const customerId = request.customerId ?? (await this.createCustomer(request.accountId));
      const session = await this.stripe.checkout.sessions.create(
        checkoutParams(request, customerId),
        { idempotencyKey: `order:${request.orderId}:checkout` },
      );
      return { checkoutId: session.id, customerId, redirectUrl: session.url ?? '' };
    });
  }

  async completeReturn(checkoutId: string): Promise<Outcome<ProcessorRef>> {
    return { outcome: 'done', value: { kind: 'checkout', id: checkoutId } };
  }

  closeCheckout(checkoutId: string): Promise<Outcome<CheckoutSnapshot>> {
    return outcomeOf(async () =>
      checkoutSnapshot(await this.stripe.checkout.sessions.expire(checkoutId)),
    );
  }

  findCheckout(orderId: string, customerId: string): Promise<Outcome<CheckoutSnapshot | null>> {
    return outcomeOf(async () => {
      const sessions = this.stripe.checkout.sessions.list({
        customer: customerId,
        limit: 100,
        expand: ['data.payment_intent'],
      });
      for await (const session of sessions) {
        if (session.client_reference_id === orderId) return checkoutSnapshot(session);
      }
      return null;
    });
  }

  verifyCallback(raw: Buffer, headers: Record<string, unknown>): CallbackVerdict {
    return this.callbacks.verify(raw, headers);
  }

  fetch({ kind, id }: ProcessorRef): Promise<Outcome<ProcessorSnapshot>> {
    const { stripe } = this;
    return outcomeOf(async () => {
      switch (kind) {
        case 'checkout': {
          const expand = ['payment_intent'];
          return checkoutSnapshot(await stripe.checkout.sessions.retrieve(id, { expand }));
        }
        case 'payment':
          return paymentSnapshot(await stripe.paymentIntents.retrieve(id));
        case 'refund':
          return refundSnapshot(await stripe.refunds.retrieve(id));
        case 'dispute':
          return disputeSnapshot(await stripe.disputes.retrieve(id));
      }
    });
  }

  refund({ refundId, paymentId, amountMicros }: RefundRequest): Promise<Outcome<RefundSnapshot>> {
    return outcomeOf(async () => {
      const refund = await this.stripe.refunds.create(
        { payment_intent: paymentId, amount: toCents(amountMicros), metadata: { refundId } },
        { idempotencyKey: `refund:${refundId}` },
      );
      return refundSnapshot(refund);
    });
  }

  listSince(cursor: Date): Promise<Outcome<EventPage>> {
    return outcomeOf(async () => {
      const now = this.clock.now();
      const end = new Date(Math.min(cursor.getTime() + EVENT_WINDOW_MS, now.getTime()));
      // The SDK types these as numbers; API v2 writes times as RFC 3339, as in `created` of its events.
      const created = { gte: cursor.toISOString(), lt: end.toISOString() } as unknown as object;
      const pages = this.stripe.v2.core.events.list({ created, limit: EVENTS_PAGE });
      const events = await pages.autoPagingToArray({ limit: EVENTS_MAX });
      return {
        events: events.map((event) => eventOf(event)).reverse(),
        cursor: end,
        hasMore: end < now,
      };
    });
  }

  private async createCustomer(accountId: string): Promise<string> {
    const customer = await this.stripe.customers.create(
      { metadata: { accountId } },
      { idempotencyKey: `account:${accountId}:customer` },
    );
    return customer.id;
  }
}

function checkoutParams(
  { orderId, accountId, currency, lines, expiresAt, successUrl, cancelUrl }: CheckoutRequest,
  customer: string,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { orderId, accountId };
  return {
    mode: 'payment',
    customer,
    client_reference_id: orderId,
    line_items: lines.map(({ name, amountMicros, quantity }) => ({
      quantity,
      price_data: {
        currency: currency.toLowerCase(),
        unit_amount: toCents(amountMicros / BigInt(quantity)),
        product_data: { name },
      },
    })),
    payment_intent_data: { metadata },
    metadata,
    expires_at: Math.floor(expiresAt.getTime() / 1000),
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}
