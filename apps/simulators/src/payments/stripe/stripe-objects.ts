import type { Stripe } from 'stripe';

/*
 * The members of Stripe's objects that we use, with the SDK's own types, so that this file does not compile with a
 * version of the SDK in which one of them has moved.
 */
export type Customer = Pick<
  Stripe.Customer,
  'id' | 'object' | 'created' | 'metadata' | 'livemode'
> & {
  /** Cents to add to the customer's next invoice; a negative balance reduces the invoice. */
  balance: number;
  invoice_settings: { default_payment_method: string | null };
};

export type Coupon = Pick<
  Stripe.Coupon,
  'id' | 'object' | 'amount_off' | 'created' | 'currency' | 'livemode' | 'metadata' | 'percent_off'
>;

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
> & { balance_transactions: Pick<Stripe.BalanceTransaction, 'amount'>[] };

export interface ListOf<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}

export const listOf = <T>(data: T[]): ListOf<T> => ({
  object: 'list',
  data,
  has_more: false,
  url: '/v1',
});

/** The item of a subscription. Since version basil, the period belongs to the item. */
export type SubscriptionItem = Pick<
  Stripe.SubscriptionItem,
  'id' | 'object' | 'created' | 'current_period_end' | 'current_period_start' | 'subscription'
> & { price: Price; quantity: number };

export type Subscription = Pick<
  Stripe.Subscription,
  | 'id'
  | 'object'
  | 'billing_cycle_anchor'
  | 'cancel_at'
  | 'cancel_at_period_end'
  | 'canceled_at'
  | 'created'
  | 'currency'
  | 'customer'
  | 'default_payment_method'
  | 'ended_at'
  | 'latest_invoice'
  | 'livemode'
  | 'metadata'
  | 'schedule'
  | 'status'
> & {
  items: ListOf<SubscriptionItem>;
  /** Ids of coupons. */
  discounts: string[];
  pending_update: { expires_at: number; subscription_items: SubscriptionItem[] } | null;
  payment_settings: { save_default_payment_method: string };
};

export type InvoiceLine = Pick<
  Stripe.InvoiceLineItem,
  'id' | 'object' | 'amount' | 'currency' | 'description' | 'invoice' | 'period' | 'quantity'
> & {
  parent: {
    type: 'subscription_item_details';
    subscription_item_details: Pick<
      Stripe.InvoiceLineItem.Parent.SubscriptionItemDetails,
      'proration' | 'subscription' | 'subscription_item'
    >;
  };
  pricing: { type: 'price_details'; price_details: Stripe.InvoiceLineItem.Pricing.PriceDetails };
};

export type Invoice = Pick<
  Stripe.Invoice,
  | 'id'
  | 'object'
  | 'amount_due'
  | 'amount_paid'
  | 'attempt_count'
  | 'billing_reason'
  | 'created'
  | 'currency'
  | 'customer'
  | 'hosted_invoice_url'
  | 'livemode'
  | 'ending_balance'
  | 'next_payment_attempt'
  | 'starting_balance'
  | 'status'
  | 'subtotal'
  | 'total'
> & {
  lines: ListOf<InvoiceLine>;
  parent: {
    type: 'subscription_details';
    subscription_details: Pick<Stripe.Invoice.Parent.SubscriptionDetails, 'subscription'>;
  };
};

export type InvoicePayment = Pick<
  Stripe.InvoicePayment,
  'id' | 'object' | 'amount_paid' | 'created' | 'currency' | 'invoice' | 'payment' | 'status'
>;

export type SubscriptionSchedule = Pick<
  Stripe.SubscriptionSchedule,
  'id' | 'object' | 'created' | 'customer' | 'end_behavior' | 'livemode' | 'status' | 'subscription'
> & {
  phases: (Pick<
    Stripe.SubscriptionSchedule.Phase,
    'billing_cycle_anchor' | 'start_date' | 'end_date'
  > & {
    items: { price: string; quantity: number }[];
    /** The id of a card; null if the customer's default card pays. */
    default_payment_method: string | null;
    /** Ids of coupons. */
    discounts: string[];
  })[];
};

export type PortalSession = Pick<
  Stripe.BillingPortal.Session,
  'id' | 'object' | 'created' | 'customer' | 'livemode' | 'return_url' | 'url'
>;

export type ThinEvent = Pick<
  Stripe.V2.Core.EventNotification,
  'id' | 'object' | 'created' | 'livemode' | 'type'
> & { related_object: Stripe.V2.Core.Events.RelatedObject | null };

/** The names of thin events, typed so that a misspelling does not compile. */
export type ThinEventType = Stripe.V2.Core.EventNotification['type'];

export type StripeObject =
  | Coupon
  | Customer
  | Price
  | CheckoutSession
  | PaymentIntent
  | Refund
  | Dispute
  | Subscription
  | Invoice
  | InvoicePayment
  | SubscriptionSchedule
  | PortalSession;

export const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
