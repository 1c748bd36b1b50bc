import type { BillingInterval, SubscriptionState } from '#libs/contracts';
import type { Micros } from '#libs/platform';

export type ProcessorName = 'stripe' | 'paypal';

/**
 * The result of a call to a processor. `unknown`: no answer or an unreadable answer, so the call may or may not have
 * been carried out. Only the same call with the same key, or a search by our reference, resolves this (never a new
 * key).
 */
export type CallResult<T> =
  | { outcome: 'done'; value: T }
  | { outcome: 'refused'; code: string; message: string }
  | { outcome: 'unknown'; cause: unknown };

/**
 * The code of a refused change: the payment of an earlier change was taken or is under review, and the earlier change
 * is not yet in force.
 */
export const CHANGE_BEING_PAID = 'change_being_paid';

export interface ProcessorRef {
  kind: 'checkout' | 'payment' | 'refund' | 'dispute' | 'subscription' | 'bill';
  id: string;
}

/** A plan, with its price in the version of the catalogue from which it was chosen. */
export interface PlanRef {
  sku: string;
  catalogueVersion: string;
  interval: BillingInterval;
  /** The name that customers see. */
  name: string;
  /** The amount to pay, with tax. */
  unitMicros: Micros;
  /** The tax rate included in the price, in millionths; the same plan at another rate has a different price. */
  taxPpm: number;
}

export interface CheckoutLine {
  name: string;
  quantity: number;
  /** The price of all units together, without tax; whole cents. */
  amountMicros: Micros;
  /** The tax, shown as a separate line; included in the plan's price if the line has a plan. */
  taxMicros: Micros;
  taxPpm: number;
  /** The plan of a line that renews; such a line is the only line. */
  plan?: PlanRef;
}

export interface CheckoutRequest {
  /** Our reference, which the processor stores in its metadata. */
  orderId: string;
  accountId: string;
  /** The customer at the processor; undefined for an account's first checkout there. */
  customerId?: string;
  /** ISO 4217. */
  currency: string;
  lines: CheckoutLine[];
  /** When the offer ends: 30 minutes to 24 hours from now. */
  expiresAt: Date;
  /** The URL to which the customer returns after the checkout, whether or not the money has arrived. */
  successUrl: string;
  cancelUrl: string;
}

export interface CreatedCheckout {
  checkoutId: string;
  customerId: string;
  redirectUrl: string;
}

export interface CheckoutSnapshot {
  kind: 'checkout';
  id: string;
  /** Our reference as the processor reports it; callers compare it with their own rows. */
  orderId: string | null;
  /** The state. `processing`: the customer has completed the checkout, but the money has not arrived. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  amountMicros: Micros;
  currency: string;
  /**
   * Whether the customer agreed but the payment was declined just now. The page then stays open for another attempt.
   */
  isDeclined?: boolean;
  payment?: PaymentSnapshot;
  subscriptionId?: string;
}

export interface PaymentSnapshot {
  kind: 'payment';
  /** The id of a payment: the PaymentIntent at Stripe, the capture or sale at PayPal. */
  id: string;
  orderId: string | null;
  state: 'pending' | 'succeeded' | 'failed';
  amountMicros: Micros;
  currency: string;
  /** The bill that was paid, if only the payment names it. */
  billId?: string;
}

export interface RefundSnapshot {
  kind: 'refund';
  id: string;
  paymentId: string;
  /** Our id of the refund; null if it was made at the processor. */
  refundId: string | null;
  /** The state of the refund, which may still fail days after it succeeded. */
  state: 'pending' | 'succeeded' | 'failed';
  amountMicros: Micros;
  currency: string;
  /**
   * The time of a refund that may be the money of a dispute; missing if the processor reports the money of disputes
   * only as disputes, or if the refund is ours.
   */
  disputableAt?: Date;
  /** The latest dispute over the refunded payment. It must be stored first, so that the money counts once. */
  disputeId?: string;
}

export interface DisputeSnapshot {
  kind: 'dispute';
  id: string;
  paymentId: string;
  /** The state of the dispute. While it is open, the money is withheld. A decided dispute may be reopened. */
  state: 'open' | 'lost' | 'won';
  amountMicros: Micros;
  currency: string;
}

export interface BilledPlan {
  sku: string;
  catalogueVersion: string;
  taxPpm: number;
  quantity: number;
}

export interface SubscriptionSnapshot extends BilledPlan {
  kind: 'subscription';
  id: string;
  orderId: string | null;
  state: SubscriptionState;
  currency: string;
  periodStart: Date;
  periodEnd: Date;
  /** When the subscription ends, if it is not renewed. */
  cancelAt: Date | null;
  pendingChange: BilledPlan | null;
  unpaidChange: UnpaidChange | null;
  /** Why the processor does not take a payment, although its customer has agreed and was not declined. */
  notTakenBecause?: string;
  latestBill: { id: string; isPaid: boolean } | null;
  /** The bill of a change, if the payment for it may have arrived after the payment for a later period. */
  paidChangeId?: string;
}

/** A plan change that waits for its payment; the plan stays the same in the meantime. */
export interface UnpaidChange extends BilledPlan {
  dueMicros: Micros;
  /**
   * The URL where the customer pays; empty if the customer must approve the change first, or the payment is under
   * review.
   */
  pageUrl: string;
  until: Date;
  /** Whether the payment was declined; if false, the customer has not tried yet, or the payment is under review. */
  isDeclined: boolean;
}

export interface BillLine extends BilledPlan {
  /** The amount; negative for the unused rest of the old plan. */
  amountMicros: Micros;
  from: Date;
  to: Date;
}

export interface BillSnapshot {
  kind: 'bill';
  id: string;
  subscriptionId: string;
  reason: 'start' | 'renewal' | 'change' | 'other';
  state: 'open' | 'paid' | 'void';
  /** The payment of a paid bill; null if nothing was due. */
  paymentId: string | null;
  /** The amount paid, which may differ from the lines because of a balance, a minimum or a coupon. */
  amountMicros: Micros;
  currency: string;
  /** The lines for our plans; all other lines are left out. */
  lines: BillLine[];
  /**
   * Whether the payment arrived after the end of the period that it pays for. Such a payment has no effect and is
   * refunded.
   */
  isTooLate?: boolean;
  /** Whether the whole amount was refunded at a processor whose bills are their own payments. */
  isReturned?: boolean;
}

/**
 * The current state of an object. Objects carry no version, so the caller that stores the state must guard against
 * older fetches.
 */
export type ProcessorSnapshot =
  | CheckoutSnapshot
  | PaymentSnapshot
  | RefundSnapshot
  | DisputeSnapshot
  | SubscriptionSnapshot
  | BillSnapshot;

/** A notice that an object changed. It only names the object to fetch; its contents are not trusted. */
export interface ProcessorEvent {
  id: string;
  type: string;
  occurredAt: Date;
  /** The object that changed; undefined if the event does not concern us. */
  ref?: ProcessorRef;
}

export type CallbackRejection =
  'unsigned' | 'wrong_signature' | 'stale' | 'malformed' | 'wrong_mode' | 'wrong_account';

/**
 * The result of a signature check. `undecided`: the data for the check is not available now, so the sender must retry.
 */
export type CallbackVerdict =
  | { verdict: 'accepted'; event: ProcessorEvent }
  | { verdict: 'rejected'; reason: CallbackRejection }
  | { verdict: 'undecided'; cause: unknown };

/**
 * How processors differ. What a processor cannot do, billing does itself or does not offer.
 */
export interface ProcessorCapabilities {
  refundsPartly: boolean;
  /** How long the same key returns the same answer, in milliseconds. */
  idempotencyMs: number;
  /** How long the key of a refund returns the same answer, in milliseconds. */
  refundIdempotencyMs: number;
  /** Whether the processor sends a callback when a checkout has expired. If not, only a fetch shows the expiry. */
  announcesExpiry: boolean;
  /**
   * Whether the processor sends a callback when a subscription's period begins. If not, it sends a callback only about
   * the payment.
   */
  announcesRenewals: boolean;
  /** Whether an unpaid checkout can be found by our reference. */
  findsCheckouts: boolean;
  /** Whether customers approve each plan change on the processor's page, even to a lower plan or another interval. */
  changesNeedApproval: boolean;
  /** The time before a renewal at which its price must be known, in milliseconds. */
  priceNoticeMs: number;
}

export interface RefundRequest {
  /** Our reference, which is also the idempotency key of the call. */
  refundId: string;
  paymentId: string;
  amountMicros: Micros;
}

export interface ChangeRequest {
  subscriptionId: string;
  plan: PlanRef;
  quantity: number;
  currency: string;
}

/** A request to bill the next plan with another tax rate. */
export interface TaxChangeRequest extends ChangeRequest {
  /** Whether the customer chose the next plan, which takes effect at the end of the period. */
  isPending: boolean;
}

export interface UpgradeRequest extends ChangeRequest {
  /** Our reference, which is also the idempotency key of the call. */
  changeId: string;
  /** The time from which the price difference is charged: the time passed to the preview. */
  from: Date;
}

/** `payment_required`: the customer must pay or confirm on the page; the plan changes when the payment arrives. */
export type UpgradeResult = { state: 'paid' } | { state: 'payment_required'; redirectUrl: string };

/** `approval_required`: nothing changes until the customer has agreed on the page. */
export type ChangeResult =
  { state: 'scheduled' } | { state: 'approval_required'; redirectUrl: string };

/** The events after a time, and the cursor at which the next call continues. */
export interface EventPage {
  /** Oldest first. */
  events: ProcessorEvent[];
  cursor: Date;
  hasMore: boolean;
}

/** A payment processor as billing uses it. A callback has no effect without a fetch. */
export interface PaymentProcessor {
  readonly name: ProcessorName;
  readonly capabilities: ProcessorCapabilities;

  /** Opens a checkout page. Within `idempotencyMs`, the same order yields the same checkout. */
  createCheckout(request: CheckoutRequest): Promise<CallResult<CreatedCheckout>>;

  /**
   * Handles a customer's return from a checkout, and returns the object to fetch. The contents of the return URL are
   * not trusted (S48): the checkout is taken from our order.
   */
  completeReturn(checkoutId: string): Promise<CallResult<ProcessorRef>>;

  /**
   * Closes a checkout page permanently. The result is `refused` if the customer has already paid, or if the page cannot
   * be closed.
   */
  closeCheckout(checkoutId: string): Promise<CallResult<CheckoutSnapshot>>;

  /**
   * Finds the checkout of an order by our reference, if the answer to its creation was lost and its key has expired.
   * The result is also null if the processor offers no search; then no customer was ever sent to that checkout.
   */
  findCheckout(orderId: string, customerId: string): Promise<CallResult<CheckoutSnapshot | null>>;

  /**
   * Checks the signature over the raw bytes before parsing them (S41). Makes no network call, except to fetch an
   * unknown certificate from a trusted host.
   */
  verifyCallback(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict>;

  /**
   * Fetches the current state of an object. First takes the steps that are due and that the processor leaves to us,
   * such as capturing money that the customer has approved, or ending a cancelled subscription.
   */
  fetch(ref: ProcessorRef): Promise<CallResult<ProcessorSnapshot>>;

  refund(request: RefundRequest): Promise<CallResult<RefundSnapshot>>;

  /**
   * Finds a refund by our reference, if the answer to the call was lost and its key has expired. The value is null if
   * there is no such refund.
   */
  findRefund(refundId: string, paymentId: string): Promise<CallResult<RefundSnapshot | null>>;

  previewChange(request: ChangeRequest, from: Date): Promise<CallResult<{ dueMicros: Micros }>>;

  /** Changes a plan now, for the prorated difference. Nothing changes until the difference is paid. */
  upgrade(request: UpgradeRequest): Promise<CallResult<UpgradeResult>>;

  /** Changes a plan, or its interval, when the running period ends. Drops an unpaid change. */
  changeAtPeriodEnd(request: ChangeRequest, key: string): Promise<CallResult<ChangeResult>>;

  /** Drops an unpaid change, if there is one. The result is `refused` while the change is being paid. */
  dropChange(subscriptionId: string, key: string): Promise<CallResult<unknown>>;

  /**
   * Changes a plan now without billing anything, because the payment for the other plan was reversed. If changes need
   * approval, this applies only until the period ends, after which the plan that the customer agreed to is billed.
   */
  setPlan(request: ChangeRequest, key: string): Promise<CallResult<SubscriptionSnapshot>>;

  /**
   * Changes the tax rate from the next period on, without the customer's consent. Call this at least `priceNoticeMs`
   * before the renewal. The next plan stays the same.
   */
  changeTax(request: TaxChangeRequest, key: string): Promise<CallResult<unknown>>;

  /**
   * Ends a subscription, at the end of its period or at once. If its period is not paid, it always ends at once. `key`
   * identifies this call; a later call needs another key.
   */
  cancel(
    subscriptionId: string,
    when: 'period_end' | 'now',
    key: string,
  ): Promise<CallResult<SubscriptionSnapshot>>;

  /** Undoes what was scheduled for the end of the period: a cancellation or, unless changes need approval, a change. */
  resume(subscriptionId: string, key: string): Promise<CallResult<SubscriptionSnapshot>>;

  /**
   * Returns the page on which a customer changes the payment details.
   * @param subscriptionId the subscription to be paid with the new details, if there is one. If it is overdue, it may
   *   be paid on the page at once.
   */
  paymentUpdateUrl(
    customerId: string,
    returnUrl: string,
    subscriptionId?: string,
  ): Promise<CallResult<string>>;

  /**
   * Lists the payments, paid bills and refunds made from `start` on and before `end`, and the disputes that began (or,
   * at some processors, last changed) in that time, whether or not they are stored here. Bills come before their
   * payments. The result is `refused` if there are too many to read at once.
   */
  listMoney(start: Date, end: Date): Promise<CallResult<ProcessorRef[]>>;

  /** Lists a page of the events since `cursor`, whether or not their callbacks arrived. */
  listSince(cursor: Date): Promise<CallResult<EventPage>>;
}
