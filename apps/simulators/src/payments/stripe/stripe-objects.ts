import type { Stripe } from 'stripe';

/*
 * The members of Stripe's objects that we use, with the SDK's own types: a version of the SDK in which
 * one of them has moved does not compile.
 */
export type Customer = Pick<Stripe.Customer, 'id' | 'object' | 'created' | 'metadata' | 'livemode'>;

export type Price = Pick<
  Stripe.Price,
  | 'id'
  | 'object'
  | 'created'
  | 'currency'
  | 'livemode'
  | 'lookup_key'
  | 'metadata'
  | 'product'
  | 'unit_amount'
> & { recurring: Pick<Stripe.Price.Recurring, 'interval' | 'interval_count'> | null };

export type CheckoutSession = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'amount_total'
  | 'cancel_url'
  | 'client_reference_id'
  | 'created'
  | 'currency'
  | 'customer'
  | 'expires_at'
  | 'livemode'
  | 'metadata'
  | 'mode'
  | 'payment_intent'
  | 'payment_status'
  | 'status'
  | 'subscription'
  | 'success_url'
  | 'url'
>;

export type PaymentIntent = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_received'
  | 'created'
  | 'currency'
  | 'customer'
  | 'latest_charge'
  | 'livemode'
  | 'metadata'
  | 'status'
>;

export type Refund = Pick<
  Stripe.Refund,
  | 'id'
  | 'object'
  | 'amount'
  | 'charge'
  | 'created'
  | 'currency'
  | 'metadata'
  | 'payment_intent'
  | 'status'
  | 'failure_reason'
>;

export type Dispute = Pick<
  Stripe.Dispute,
  | 'id'
  | 'object'
  | 'amount'
  | 'charge'
  | 'created'
  | 'currency'
  | 'livemode'
  | 'payment_intent'
  | 'reason'
  | 'status'
>;

export type ThinEvent = Pick<
  Stripe.V2.Core.EventNotification,
  'id' | 'object' | 'created' | 'livemode' | 'type'
> & { related_object: Stripe.V2.Core.Events.RelatedObject | null };

/** Names of thin events, so that a misspelt one does not compile. */
export type ThinEventType = Stripe.V2.Core.EventNotification['type'];

export type StripeObject = Customer | Price | CheckoutSession | PaymentIntent | Refund | Dispute;

export const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
