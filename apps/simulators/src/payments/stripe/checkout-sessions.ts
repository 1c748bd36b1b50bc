import type { Stripe } from 'stripe';
import { CHARGE_MIN } from './invoices.js';
import { DELAYED_PAYMENT_MS, type PaymentIntents } from './payment-intents.js';
import type { CheckoutSession, PaymentIntent } from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';
import type { Subscriptions } from './subscriptions.js';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS;
const EXPIRY_MIN_SECONDS = 30 * MINUTE_SECONDS;

/** Simulates hosted checkout: sessions that the API creates, and the customer's actions on their pages. */
export class CheckoutSessions {
  private readonly asked = new Map<string, Stripe.Checkout.SessionCreateParams>();

  constructor(
    private readonly world: StripeWorld,
    private readonly payments: PaymentIntents,
    private readonly subscriptions: Subscriptions,
    private readonly pageUrl: () => string,
  ) {}

  /** `POST /v1/checkout/sessions`. */
  create(params: Stripe.Checkout.SessionCreateParams): CheckoutSession {
    if ('payment_method_types' in params) {
      const message = 'payment_method_types is no longer supported.';
      throw StripeRefusal.invalid('payment_method_types_no_longer_supported', message);
    }
    const { world } = this;
    const id = world.newId('checkout.session');
    const { amount, currency } = this.totalOf(params.line_items);
    if (params.mode === 'payment') checkMinimum(amount, currency);
    const session = world.put({
      id,
      object: 'checkout.session',
      amount_total: amount,
      cancel_url: params.cancel_url ?? null,
      client_reference_id: params.client_reference_id ?? null,
      created: world.now,
      currency,
      customer: params.customer ? world.customer(params.customer).id : null,
      expires_at: expiryOf(params.expires_at, world.now),
      livemode: false,
      metadata: (params.metadata as Stripe.Metadata | undefined) ?? {},
      mode: params.mode ?? 'payment',
      payment_intent: null,
      payment_status: 'unpaid',
      status: 'open',
      subscription: null,
      success_url: params.success_url ?? null,
      url: `${this.pageUrl()}/stripe/checkout/${id}`,
    } satisfies CheckoutSession);
    this.asked.set(id, params);
    world.clock.at(new Date(session.expires_at * 1000), () => {
      if (session.status === 'open') this.expire(id);
    });
    return session;
  }

  /** `POST /v1/checkout/sessions/{id}/expire`. */
  expire(id: string): CheckoutSession {
    const session = this.openSession(id);
    session.status = 'expired';
    session.url = null;
    this.world.emit('v1.checkout.session.expired', session);
    return session;
  }

  pay(id: string): CheckoutSession {
    const session = this.openSession(id);
    if (session.mode === 'subscription') this.subscribe(session);
    else this.complete(session, 'succeeded');
    return session;
  }

  /** Declines the card; the page stays open for another attempt. */
  decline(id: string): CheckoutSession {
    const session = this.openSession(id);
    const payment = this.payments.create(this.paymentOf(session), 'requires_payment_method');
    this.world.emit('v1.payment_intent.payment_failed', payment);
    return session;
  }

  /** Whether a session can be paid in the customer's own currency, which is Stripe's default. */
  isAdaptive({ id }: CheckoutSession): boolean {
    return this.asked.get(id)?.adaptive_pricing?.enabled !== false;
  }

  /** Whether a session can be paid by bank debit. */
  takesDebits({ id }: CheckoutSession): boolean {
    const excluded = this.asked.get(id)?.excluded_payment_method_types ?? [];
    return !excluded.includes('us_bank_account');
  }

  /** Pays with a method that moves the money days later, and may fail then. Only single payments are simulated. */
  payDelayed(id: string, outcome: 'succeeds' | 'fails'): CheckoutSession {
    const session = this.openSession(id);
    if (!this.takesDebits(session)) {
      const message = 'Bank debits are excluded from this session.';
      throw StripeRefusal.invalid('payment_method_not_available', message);
    }
    const payment = this.complete(session, 'processing');
    const settledAt = new Date(this.world.clock.now().getTime() + DELAYED_PAYMENT_MS);
    this.world.clock.at(settledAt, () => {
      if (outcome === 'succeeds') {
        this.payments.succeed(payment);
        session.payment_status = 'paid';
        this.world.emit('v1.checkout.session.async_payment_succeeded', session);
      } else {
        this.payments.fail(payment);
        this.world.emit('v1.checkout.session.async_payment_failed', session);
      }
    });
    return session;
  }

  private subscribe(session: CheckoutSession): void {
    const asked = this.asked.get(session.id)!;
    const [{ price, quantity = 1 }] = asked.line_items!;
    const wanted = { price: this.world.get('price', price), quantity };
    const metadata = metadataOf(asked.subscription_data);
    const { id } = this.subscriptions.begin(session.customer as string, wanted, metadata);
    session.subscription = id;
    session.payment_status = 'paid';
    session.status = 'complete';
    session.url = null;
    this.world.emit('v1.checkout.session.completed', session);
  }

  private complete(session: CheckoutSession, status: PaymentIntent['status']): PaymentIntent {
    const payment = this.payments.create(this.paymentOf(session), status);
    session.payment_intent = payment.id;
    session.payment_status = status === 'succeeded' ? 'paid' : 'unpaid';
    session.status = 'complete';
    session.url = null;
    this.world.emit('v1.checkout.session.completed', session);
    if (status === 'succeeded') this.world.emit('v1.payment_intent.succeeded', payment);
    return payment;
  }

  private paymentOf(session: CheckoutSession) {
    return {
      amount: session.amount_total ?? 0,
      currency: session.currency ?? 'usd',
      customer: session.customer as string | null,
      metadata: metadataOf(this.asked.get(session.id)?.payment_intent_data),
    };
  }

  private totalOf(items: Stripe.Checkout.SessionCreateParams.LineItem[] = []) {
    if (items.length === 0)
      throw StripeRefusal.invalid('parameter_missing', 'Missing required param: line_items.');
    const priced = items.map(({ price, price_data: data, quantity = 1 }) => {
      const { unit_amount: unit, currency } = data ?? this.world.get('price', price);
      if (!Number.isInteger(unit) || unit! < 0 || !Number.isInteger(quantity) || quantity < 1) {
        throw StripeRefusal.invalid(
          'parameter_invalid_integer',
          'line_items: a non-negative price',
        );
      }
      return { currency, amount: unit! * quantity };
    });
    const amount = priced.reduce((sum, item) => sum + item.amount, 0);
    return { amount, currency: priced[0].currency };
  }

  private openSession(id: string): CheckoutSession {
    const session = this.world.get('checkout.session', id);
    if (session.status === 'open') return session;
    const message = `This Checkout Session is ${session.status}: only an open one can be used.`;
    throw StripeRefusal.invalid('resource_state_invalid', message);
  }
}

const metadataOf = (holder: { metadata?: unknown } | undefined) =>
  (holder?.metadata ?? {}) as Stripe.Metadata;

/** Refuses an amount that is too small to charge to a card. Zero is allowed, because it needs no payment. */
function checkMinimum(amount: number, currency: string): void {
  const min = CHARGE_MIN[currency] ?? 0;
  if (amount === 0 || amount >= min) return;
  const message = `The Checkout Session's total amount due must add up to at least ${min} cents.`;
  throw StripeRefusal.invalid('amount_too_small', message);
}

function expiryOf(wanted: number | undefined, now: number): number {
  if (wanted === undefined) return now + DAY_SECONDS;
  if (wanted < now + EXPIRY_MIN_SECONDS || wanted > now + DAY_SECONDS) {
    const message = 'expires_at must be between 30 minutes and 24 hours from now.';
    throw StripeRefusal.invalid('parameter_invalid', message);
  }
  return wanted;
}
