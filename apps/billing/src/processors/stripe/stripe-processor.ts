import { Stripe } from 'stripe';
import { type Clock, DAY_MS, type Micros, SECOND_MS } from '#libs/platform';
import type {
  CallbackVerdict,
  ChangeRequest,
  ChangeResult,
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  EventPage,
  CallResult,
  PaymentProcessor,
  ProcessorCapabilities,
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
import { readEvents } from '../event-stretch.js';
import { StripeBills } from './stripe-bills.js';
import { StripeCallbacks, eventOf } from './stripe-callbacks.js';
import { StripeCards } from './stripe-cards.js';
import { resultOf } from './stripe-result.js';
import { taxNameOf } from '../../tax/tax-rates.js';
import { pacedHttpClient } from './stripe-http-client.js';
import { listStripeMoney } from './stripe-money.js';
import { StripePrices } from './stripe-prices.js';
import { StripeSchedules } from './stripe-schedules.js';
import { inKnownState } from './stripe-states.js';
import { StripeSubscriptions } from './stripe-subscriptions.js';
import {
  checkoutSnapshot,
  disputeSnapshot,
  paymentSnapshot,
  refundSnapshot,
  toCents,
} from './stripe-snapshots.js';

export interface StripeOptions {
  apiKey: () => string;
  callbackSecrets: () => readonly string[];
  /** `https://api.stripe.com`, or a simulator. */
  apiUrl: string;
  rate: CallRate;
  clock: Clock;
}

type CheckoutItem = Stripe.Checkout.SessionCreateParams.LineItem;

/**
 * The bank debits in US dollars, with which plans cannot be paid. The money can take a week to arrive, as long as the
 * grace period lasts, and Stripe refuses upgrades that take effect only when they are paid.
 */
const BANK_DEBITS = ['acss_debit', 'us_bank_account'] as const;

const TIMEOUT_MS = 10 * SECOND_MS;
const EVENTS_PAGE = 100;
const EVENTS_MAX = 1_000;

/**
 * Connects to Stripe through its own SDK, in API version 2026-10-28.endive. The SDK's retries are off: billing itself
 * repeats calls whose outcome is unknown, because billing stores the calls' keys.
 */
export class StripeProcessor implements PaymentProcessor {
  readonly name = 'stripe';
  readonly capabilities: ProcessorCapabilities = {
    refundsPartly: true,
    idempotencyMs: DAY_MS,
    refundIdempotencyMs: DAY_MS,
    announcesExpiry: true,
    announcesRenewals: true,
    findsCheckouts: true,
    changesNeedApproval: false,
    priceNoticeMs: 0,
  };
  private readonly stripe: Stripe;
  private readonly callbacks: StripeCallbacks;
  private readonly prices: StripePrices;
  private readonly bills: StripeBills;
  private readonly subscriptions: StripeSubscriptions;
  private readonly cards: StripeCards;
  private readonly clock: Clock;

  constructor({ apiKey, apiUrl, callbackSecrets, rate, clock }: StripeOptions) {
    const { protocol, hostname, port } = new URL(apiUrl);
    const isLive = isLiveKey(apiKey());
    const keyNow = keyOfMode(apiKey, isLive);
    this.stripe = new Stripe('', {
      // Both keys are valid while one is being replaced; each call uses the current key.
      authenticator: async ({ headers }) => {
        headers.Authorization = `Bearer ${keyNow()}`;
      },
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      ...(port !== '' && { port }),
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MS,
      telemetry: false,
      httpClient: pacedHttpClient(rate),
    });
    this.clock = clock;
    this.prices = new StripePrices(this.stripe);
    this.bills = new StripeBills(this.stripe, this.prices);
    const schedules = new StripeSchedules(this.stripe, this.prices);
    this.cards = new StripeCards(this.stripe, schedules);
    this.subscriptions = new StripeSubscriptions(this.stripe, this.prices, schedules);
    const { stripe } = this;
    this.callbacks = new StripeCallbacks({ stripe, clock, secrets: callbackSecrets, isLive });
  }

  createCheckout(request: CheckoutRequest): Promise<CallResult<CreatedCheckout>> {
    const { accountId, customerId: known } = request;
    return resultOf(async () => {
      if (known === undefined)
        return this.createSession(request, await this.createFirstCustomer(request));
      try {
        return await this.createSession(request, known);
      } catch (error) {
        if (!isMissingCustomer(error)) throw error;
        const key = `after:${known}`;
        return this.createSession(request, await this.createCustomer(accountId, key), key);
      }
    });
  }

  /** @param key part of the idempotency key; a different one is needed to repeat the call for another customer. */
  private async createSession(
    request: CheckoutRequest,
    customerId: string,
    key = 'checkout',
  ): Promise<CreatedCheckout> {
    const session = await this.stripe.checkout.sessions.create(
      checkoutParams(request, customerId, await this.itemsOf(request)),
      { idempotencyKey: `order:${request.orderId}:${key}` },
    );
    return { checkoutId: session.id, customerId, redirectUrl: session.url ?? '' };
  }

  async completeReturn(checkoutId: string): Promise<CallResult<ProcessorRef>> {
    return { outcome: 'done', value: { kind: 'checkout', id: checkoutId } };
  }

  closeCheckout(checkoutId: string): Promise<CallResult<CheckoutSnapshot>> {
    return resultOf(async () =>
      checkoutSnapshot(await this.stripe.checkout.sessions.expire(checkoutId)),
    );
  }

  findCheckout(orderId: string, customerId: string): Promise<CallResult<CheckoutSnapshot | null>> {
    return resultOf(async () => {
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

  async verifyCallback(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict> {
    return this.callbacks.verify(raw, headers);
  }

  fetch({ kind, id }: ProcessorRef): Promise<CallResult<ProcessorSnapshot>> {
    const { stripe } = this;
    return resultOf(async () => {
      switch (kind) {
        case 'checkout': {
          const expand = ['payment_intent'];
          const session = await stripe.checkout.sessions.retrieve(id, { expand });
          const { payment_intent: intent } = session;
          if (typeof intent === 'object' && intent) inKnownState(intent);
          return checkoutSnapshot(inKnownState(session));
        }
        case 'payment':
          return paymentSnapshot(inKnownState(await stripe.paymentIntents.retrieve(id)));
        case 'refund':
          return refundSnapshot(inKnownState(await stripe.refunds.retrieve(id)));
        case 'dispute':
          return disputeSnapshot(inKnownState(await stripe.disputes.retrieve(id)));
        case 'subscription':
          return this.subscriptions.fetch(id);
        case 'bill':
          return this.bills.fetch(id);
      }
    });
  }

  refund({
    refundId,
    paymentId,
    amountMicros,
  }: RefundRequest): Promise<CallResult<RefundSnapshot>> {
    return resultOf(async () => {
      const refund = await this.stripe.refunds.create(
        { payment_intent: paymentId, amount: toCents(amountMicros), metadata: { refundId } },
        { idempotencyKey: `refund:${refundId}` },
      );
      return refundSnapshot(refund);
    });
  }

  findRefund(refundId: string, paymentId: string): Promise<CallResult<RefundSnapshot | null>> {
    return resultOf(async () => {
      const refunds = this.stripe.refunds.list({ payment_intent: paymentId, limit: 100 });
      for await (const refund of refunds) {
        if (refund.metadata?.refundId === refundId) return refundSnapshot(refund);
      }
      return null;
    });
  }

  listMoney(start: Date, end: Date): Promise<CallResult<ProcessorRef[]>> {
    return resultOf(() => listStripeMoney(this.stripe, start, end));
  }

  listSince(cursor: Date): Promise<CallResult<EventPage>> {
    return resultOf(() =>
      readEvents(cursor, this.clock.now(), async (start, end) => {
        // The SDK types these fields as numbers, but API v2 writes times as RFC 3339, as in `created` of its events.
        const created = { gte: start.toISOString(), lt: end.toISOString() } as unknown as object;
        const pages = this.stripe.v2.core.events.list({ created, limit: EVENTS_PAGE });
        const events = await pages.autoPagingToArray({ limit: EVENTS_MAX + 1 });
        if (events.length > EVENTS_MAX) return undefined;
        return events.map((event) => eventOf(event)).reverse();
      }),
    );
  }

  previewChange(request: ChangeRequest, from: Date): Promise<CallResult<{ dueMicros: Micros }>> {
    return resultOf(() => this.subscriptions.preview(request, from));
  }

  upgrade(request: UpgradeRequest): Promise<CallResult<UpgradeResult>> {
    return resultOf(() => this.subscriptions.upgrade(request));
  }

  changeAtPeriodEnd(request: ChangeRequest, key: string): Promise<CallResult<ChangeResult>> {
    return resultOf(() => this.subscriptions.changeAtPeriodEnd(request, key));
  }

  dropChange(subscriptionId: string, key: string): Promise<CallResult<unknown>> {
    return resultOf<unknown>(() => this.subscriptions.dropChange(subscriptionId, key));
  }

  setPlan(request: ChangeRequest, key: string): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(() => this.subscriptions.setPlan(request, key));
  }

  changeTax(request: TaxChangeRequest, key: string): Promise<CallResult<unknown>> {
    return resultOf<unknown>(() =>
      request.isPending
        ? this.subscriptions.changeAtPeriodEnd(request, key)
        : this.subscriptions.setPlan(request, key),
    );
  }

  cancel(
    subscriptionId: string,
    when: 'period_end' | 'now',
    key: string,
  ): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(() => this.subscriptions.cancel(subscriptionId, when, key));
  }

  resume(subscriptionId: string, key: string): Promise<CallResult<SubscriptionSnapshot>> {
    return resultOf(() => this.subscriptions.resume(subscriptionId, key));
  }

  paymentUpdateUrl(
    customerId: string,
    returnUrl: string,
    subscriptionId?: string,
  ): Promise<CallResult<string>> {
    return resultOf(() => this.cards.pageOf(customerId, returnUrl, subscriptionId));
  }

  /**
   * Creates the customer for an account that has none. If Stripe fails, it returns the same error for the account's key
   * for a day, so the call is repeated with the order's key.
   */
  private async createFirstCustomer({ accountId, orderId }: CheckoutRequest): Promise<string> {
    try {
      return await this.createCustomer(accountId);
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeAPIError)) throw error;
      return this.createCustomer(accountId, `order:${orderId}`);
    }
  }

  private async createCustomer(accountId: string, key = 'customer'): Promise<string> {
    const customer = await this.stripe.customers.create(
      { metadata: { accountId } },
      { idempotencyKey: `account:${accountId}:${key}` },
    );
    return customer.id;
  }

  private async itemsOf({ lines, currency }: CheckoutRequest): Promise<CheckoutItem[]> {
    const items: CheckoutItem[] = [];
    const itemOf = (name: string, quantity: number, amountMicros: Micros): CheckoutItem => ({
      quantity,
      price_data: {
        currency: currency.toLowerCase(),
        unit_amount: toCents(amountMicros / BigInt(quantity)),
        product_data: { name },
      },
    });
    for (const { plan, name, quantity, amountMicros, taxMicros, taxPpm } of lines) {
      if (plan) items.push({ quantity, price: await this.prices.idOf(plan, currency) });
      else {
        items.push(itemOf(name, quantity, amountMicros));
        if (taxMicros > 0n) items.push(itemOf(taxNameOf(taxPpm), 1, taxMicros));
      }
    }
    return items;
  }
}

function checkoutParams(
  { orderId, accountId, lines, expiresAt, successUrl, cancelUrl }: CheckoutRequest,
  customer: string,
  items: CheckoutItem[],
): Stripe.Checkout.SessionCreateParams {
  const metadata = { orderId, accountId };
  const isSubscription = lines.some(({ plan }) => plan !== undefined);
  return {
    mode: isSubscription ? 'subscription' : 'payment',
    // Stripe would otherwise charge foreign customers in their own currency: another amount at each renewal, and a fee.
    adaptive_pricing: { enabled: false },
    customer,
    client_reference_id: orderId,
    line_items: items,
    ...(isSubscription
      ? {
          subscription_data: { metadata, billing_mode: { type: 'flexible' as const } },
          excluded_payment_method_types: [...BANK_DEBITS],
        }
      : { payment_intent_data: { metadata } }),
    metadata,
    expires_at: Math.floor(expiresAt.getTime() / 1000),
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}

/** Whether an account's customer was deleted at Stripe, or belongs to the other mode. */
const isMissingCustomer = (error: unknown) =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  error.code === 'resource_missing' &&
  error.param === 'customer';

const isLiveKey = (key: string) => /^(sk|rk)_live_/.test(key);

/**
 * Accepts a changed key only for the mode in which the process started. In test mode, anyone can pay with a card from
 * Stripe's documentation, and neither mode has the orders of the other.
 */
function keyOfMode(apiKey: () => string, isLive: boolean): () => string {
  let used = apiKey();
  return () => {
    const known = apiKey();
    if (isLiveKey(known) === isLive) used = known;
    return used;
  };
}
