import type { Micros } from '#libs/platform';

/** The processors a customer can choose between. */
export type ProcessorName = 'stripe' | 'paypal';

/**
 * How a call to a processor ended. `unknown`: no answer or a broken one, so it may or may not have been
 * carried out; only the same call with the same key, or a search by our reference, tells (never a new key).
 */
export type Outcome<T> =
  | { outcome: 'done'; value: T }
  | { outcome: 'refused'; code: string; message: string }
  | { outcome: 'unknown'; cause: unknown };

/** An object at the processor. */
export interface ProcessorRef {
  kind: 'checkout' | 'payment' | 'refund' | 'dispute';
  id: string;
}

export interface CheckoutLine {
  name: string;
  quantity: number;
  /** Of all units together; whole cents. */
  amountMicros: Micros;
}

export interface CheckoutRequest {
  /** Our reference, in the processor's metadata. */
  orderId: string;
  accountId: string;
  /** The customer at the processor; undefined for an account's first checkout there. */
  customerId?: string;
  /** ISO 4217. */
  currency: string;
  lines: CheckoutLine[];
  /** When the page closes: 30 minutes to 24 hours from now. */
  expiresAt: Date;
  /** Where the customer comes back to, paid or not. */
  successUrl: string;
  cancelUrl: string;
}

export interface CreatedCheckout {
  checkoutId: string;
  customerId: string;
  /** The processor's own page. */
  redirectUrl: string;
}

export interface CheckoutSnapshot {
  kind: 'checkout';
  id: string;
  /** What the processor says our reference is; whoever reads it compares it with its own rows. */
  orderId: string | null;
  /** `processing`: the customer has done everything, the money is under way. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  amountMicros: Micros;
  currency: string;
  payment?: PaymentSnapshot;
}

export interface PaymentSnapshot {
  kind: 'payment';
  /** What identifies a payment: the PaymentIntent at Stripe, the capture or sale at PayPal. */
  id: string;
  orderId: string | null;
  state: 'pending' | 'succeeded' | 'failed';
  amountMicros: Micros;
  currency: string;
}

export interface RefundSnapshot {
  kind: 'refund';
  id: string;
  paymentId: string;
  /** Our id of it; null for a refund made at the processor. */
  refundId: string | null;
  /** A refund may still fail days after it succeeded. */
  state: 'pending' | 'succeeded' | 'failed';
  amountMicros: Micros;
  currency: string;
}

export interface DisputeSnapshot {
  kind: 'dispute';
  id: string;
  paymentId: string;
  /** The money is withdrawn while it is open. A decided one may be opened again. */
  state: 'open' | 'lost' | 'won';
  amountMicros: Micros;
  currency: string;
}

/** An object as it stands now. Carries no version: whoever stores it guards against older fetches. */
export type ProcessorSnapshot =
  CheckoutSnapshot | PaymentSnapshot | RefundSnapshot | DisputeSnapshot;

/** Something happened to an object. Says what to fetch, and nothing that is believed. */
export interface ProcessorEvent {
  id: string;
  type: string;
  occurredAt: Date;
  /** Undefined for what does not concern us. */
  ref?: ProcessorRef;
}

export const CALLBACK_REJECTIONS = [
  'unsigned',
  'wrong_signature',
  'stale',
  'malformed',
  'wrong_mode',
] as const;
export type CallbackRejection = (typeof CALLBACK_REJECTIONS)[number];

export type CallbackVerdict =
  | { verdict: 'accepted'; event: ProcessorEvent }
  | { verdict: 'rejected'; reason: CallbackRejection };

/** What a processor cannot do, billing does itself or does not offer. */
export interface ProcessorCapabilities {
  /** Part of a payment can be refunded. */
  refundsPartly: boolean;
  /** How long the same key gives the same answer, in milliseconds. */
  idempotencyMs: number;
}

export interface RefundRequest {
  /** Our reference and the key of the call. */
  refundId: string;
  paymentId: string;
  amountMicros: Micros;
}

/** Events from a time on, and where the next look begins. */
export interface EventPage {
  /** Oldest first. */
  events: ProcessorEvent[];
  cursor: Date;
  /** There may be more right now. */
  hasMore: boolean;
}

/** A payment processor as billing sees it. Nothing it says is believed without a fetch. */
export interface PaymentProcessor {
  readonly name: ProcessorName;
  readonly capabilities: ProcessorCapabilities;

  /** Opens a checkout page. The same order gives the same checkout, however often it is asked. */
  createCheckout(request: CheckoutRequest): Promise<Outcome<CreatedCheckout>>;

  /**
   * A customer came back from a checkout. Captures where the processor wants that. What the address
   * of the return said is not believed (S48): the checkout is the one of our order.
   */
  completeReturn(checkoutId: string): Promise<Outcome<ProcessorRef>>;

  /** Closes a checkout page for good. Refused when the customer was faster. */
  closeCheckout(checkoutId: string): Promise<Outcome<CheckoutSnapshot>>;

  /** Finds the checkout of an order by our reference, when its creation's answer was lost for too long. */
  findCheckout(orderId: string, customerId: string): Promise<Outcome<CheckoutSnapshot | null>>;

  /** Checks the signature over the raw bytes before it reads them (S41). Calls nobody. */
  verifyCallback(raw: Buffer, headers: Record<string, unknown>): CallbackVerdict;

  fetch(ref: ProcessorRef): Promise<Outcome<ProcessorSnapshot>>;

  refund(request: RefundRequest): Promise<Outcome<RefundSnapshot>>;

  /** What happened since `cursor`, whether or not a callback arrived for it. */
  listSince(cursor: Date): Promise<Outcome<EventPage>>;
}
