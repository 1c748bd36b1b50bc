import type { BillingInterval, SubscriptionState } from '#libs/contracts';
import type { Micros } from '#libs/platform';

/** The processors a customer can choose between. */
export type ProcessorName = 'stripe' | 'paypal';

/**
 * How a call to a processor ended. `unknown`: no answer or a broken one, so it may or may not have been carried out;
 * only the same call with the same key, or a search by our reference, resolves it (never a new key).
 */
export type CallResult<T> =
  | { outcome: 'done'; value: T }
  | { outcome: 'refused'; code: string; message: string }
  | { outcome: 'unknown'; cause: unknown };

/** The code of a refused change: the money of an earlier one is taken or under review, and that one not in force yet. */
export const CHANGE_BEING_PAID = 'change_being_paid';

/** An object at the processor. */
export interface ProcessorRef {
  kind: 'checkout' | 'payment' | 'refund' | 'dispute' | 'subscription' | 'bill';
  id: string;
}

/** The product of a subscription, at the price of the time when the plan was taken. */
export interface PlanRef {
  sku: string;
  catalogueVersion: string;
  interval: BillingInterval;
  /** Shown to people. */
  name: string;
  /** The amount to pay, with tax. */
  unitMicros: Micros;
  /** The rate of the tax within it, in millionths; the same plan at another rate is another price. */
  taxPpm: number;
}

export interface CheckoutLine {
  name: string;
  quantity: number;
  /** The price of all units together, without tax; whole cents. */
  amountMicros: Micros;
  /** Shown as a line of its own; within the plan's price where the line has a plan. */
  taxMicros: Micros;
  taxPpm: number;
  /** Set for a plan that is renewed; then it is the only line. */
  plan?: PlanRef;
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
  /** Where the customer returns to, paid or not. */
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
  /** Our reference as the processor reports it; callers compare it with their own rows. */
  orderId: string | null;
  /** `processing`: the customer has done everything, the money is under way. */
  state: 'open' | 'processing' | 'paid' | 'failed' | 'expired';
  amountMicros: Micros;
  currency: string;
  /** The customer agreed, and the money was refused just now. The page stays open for another try. */
  isDeclined?: boolean;
  payment?: PaymentSnapshot;
  /** What it started, if it was paid. */
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
  /** The bill that it paid, where the payment alone names it. */
  billId?: string;
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

/** A plan as the processor's objects name it. */
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
  /** When it ends instead of being renewed. */
  cancelAt: Date | null;
  /** The plan that follows at the end of its period. */
  pendingChange: BilledPlan | null;
  /** The change that its customer requested and has not paid. */
  unpaidChange: UnpaidChange | null;
  latestBill: { id: string; isPaid: boolean } | null;
  /** The bill of a change whose money may have come after that of a later period. */
  paidChangeId?: string;
}

/** A change of plan that waits for its money; the plan stays what it is meanwhile. */
export interface UnpaidChange extends BilledPlan {
  dueMicros: Micros;
  /** Where the customer pays; blank if the change must be approved first. */
  pageUrl: string;
  /** When it is given up. */
  until: Date;
  /** The means of payment was refused; otherwise the customer has not been there yet. */
  isDeclined: boolean;
}

export interface BillLine extends BilledPlan {
  /** Below zero for the rest of a plan that is left. */
  amountMicros: Micros;
  from: Date;
  to: Date;
}

/** The bill of a subscription's start, renewal or change. */
export interface BillSnapshot {
  kind: 'bill';
  id: string;
  subscriptionId: string;
  reason: 'start' | 'renewal' | 'change' | 'other';
  state: 'open' | 'paid' | 'void';
  /** The payment of a paid bill; null where nothing was due. */
  paymentId: string | null;
  /** The paid amount: a balance, a minimum or a coupon may make it differ from the lines. */
  amountMicros: Micros;
  currency: string;
  /** The lines for our plans; others are the processor's own affair. */
  lines: BillLine[];
  /** Its money came when the time that it pays for was over, so that it brought nothing: it is given back. */
  isTooLate?: boolean;
}

/** An object as it stands now. Carries no version: whoever stores it guards against older fetches. */
export type ProcessorSnapshot =
  | CheckoutSnapshot
  | PaymentSnapshot
  | RefundSnapshot
  | DisputeSnapshot
  | SubscriptionSnapshot
  | BillSnapshot;

/** Something happened to an object. Says what to fetch, and nothing that is believed. */
export interface ProcessorEvent {
  id: string;
  type: string;
  occurredAt: Date;
  /** Undefined for what does not concern us. */
  ref?: ProcessorRef;
}

export type CallbackRejection =
  'unsigned' | 'wrong_signature' | 'stale' | 'malformed' | 'wrong_mode';

/** `undecided`: what the signature is checked with is not at hand just now; the sender must try again. */
export type CallbackVerdict =
  | { verdict: 'accepted'; event: ProcessorEvent }
  | { verdict: 'rejected'; reason: CallbackRejection }
  | { verdict: 'undecided'; cause: unknown };

/** What a processor cannot do; billing then does it itself or does not offer it. */
export interface ProcessorCapabilities {
  /** Part of a payment can be refunded. */
  refundsPartly: boolean;
  /** How long the same key returns the same answer, in milliseconds. */
  idempotencyMs: number;
  /** It sends a callback when a checkout has expired; elsewhere only a fetch of the checkout shows it. */
  announcesExpiry: boolean;
  /** It sends a callback about a subscription when a period begins; elsewhere only about its payment. */
  announcesRenewals: boolean;
  /** A checkout that nobody paid is found by our reference. */
  findsCheckouts: boolean;
  /** Customers approve each change of a plan on its page, a lower plan and another interval as well. */
  changesNeedApproval: boolean;
  /** How long before a renewal its price must be known, in milliseconds. */
  priceNoticeMs: number;
}

export interface RefundRequest {
  /** Our reference and the key of the call. */
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

/** The next plan, with another tax rate. */
export interface TaxChangeRequest extends ChangeRequest {
  /** It takes effect at the end of the period, because the customer has changed the plan. */
  isPending: boolean;
}

export interface UpgradeRequest extends ChangeRequest {
  /** Our reference and the key of the call. */
  changeId: string;
  /** The start of the difference: the time given to the preview. */
  from: Date;
}

/** `payment_required`: the customer must pay or confirm on that page; the plan changes when it is paid. */
export type UpgradeResult = { state: 'paid' } | { state: 'payment_required'; redirectUrl: string };

/** `approval_required`: nothing changes until the customer has agreed on that page. */
export type ChangeResult =
  { state: 'scheduled' } | { state: 'approval_required'; redirectUrl: string };

/** Events from a time on, and where the next look begins. */
export interface EventPage {
  /** Oldest first. */
  events: ProcessorEvent[];
  cursor: Date;
  /** More events may be available right now. */
  hasMore: boolean;
}

/** A payment processor as billing sees it. Nothing in a callback is believed without a fetch. */
export interface PaymentProcessor {
  readonly name: ProcessorName;
  readonly capabilities: ProcessorCapabilities;

  /** Opens a checkout page. The same order gives the same checkout, however often it is asked. */
  createCheckout(request: CheckoutRequest): Promise<CallResult<CreatedCheckout>>;

  /**
   * A customer came back from a checkout. What the address of the return said is not believed (S48): the
   * checkout is the one of our order.
   */
  completeReturn(checkoutId: string): Promise<CallResult<ProcessorRef>>;

  /** Closes a checkout page for good. Refused when the customer was faster. */
  closeCheckout(checkoutId: string): Promise<CallResult<CheckoutSnapshot>>;

  /**
   * Finds the checkout of an order by our reference, when its creation's answer was lost for too long.
   * Null as well where the processor cannot be searched: nobody was ever sent to that checkout.
   */
  findCheckout(orderId: string, customerId: string): Promise<CallResult<CheckoutSnapshot | null>>;

  /**
   * Checks the signature over the raw bytes before it reads them (S41). Calls nobody, but for a
   * certificate it has not seen yet, from a host that it trusts.
   */
  verifyCallback(raw: Buffer, headers: Record<string, unknown>): Promise<CallbackVerdict>;

  /** The current state of an object. What a customer has approved and we still have to capture is captured. */
  fetch(ref: ProcessorRef): Promise<CallResult<ProcessorSnapshot>>;

  refund(request: RefundRequest): Promise<CallResult<RefundSnapshot>>;

  /** Finds a refund by our reference, when the answer to it was lost for too long. */
  findRefund(refundId: string, paymentId: string): Promise<CallResult<RefundSnapshot | null>>;

  /** The cost of an upgrade at `from`. */
  previewChange(request: ChangeRequest, from: Date): Promise<CallResult<{ dueMicros: Micros }>>;

  /** Changes a plan now, for the prorated difference. Nothing changes until it is paid. */
  upgrade(request: UpgradeRequest): Promise<CallResult<UpgradeResult>>;

  /** Changes a plan, or its interval, when the running period ends. */
  changeAtPeriodEnd(request: ChangeRequest, key: string): Promise<CallResult<ChangeResult>>;

  /** Gives up a change that is not paid. Refused where there is none any more. */
  dropChange(subscriptionId: string, key: string): Promise<CallResult<unknown>>;

  /**
   * Changes a plan now and bills nothing: what was paid for the other one was taken back. Where changes need
   * approval, until the period ends: what the customer agreed to is billed from then on.
   */
  setPlan(request: ChangeRequest, key: string): Promise<CallResult<SubscriptionSnapshot>>;

  /**
   * Changes the rate of tax from the next period on; no customer has to agree. Call it `priceNoticeMs` before the
   * renewal. What comes next stays the same plan.
   */
  changeTax(request: TaxChangeRequest, key: string): Promise<CallResult<unknown>>;

  /** Ends a subscription, at the end of its period or at once. `key` names this wish, not its repeats. */
  cancel(
    subscriptionId: string,
    when: 'period_end' | 'now',
    key: string,
  ): Promise<CallResult<SubscriptionSnapshot>>;

  /** Takes back what was to happen at the end of the period: a cancellation or a change. */
  resume(subscriptionId: string, key: string): Promise<CallResult<SubscriptionSnapshot>>;

  /** The processor's page where a customer changes how to pay. */
  paymentUpdateUrl(customerId: string, returnUrl: string): Promise<CallResult<string>>;

  /**
   * The payments, paid bills, refunds and disputes that began from `start` on and before `end`, whatever we know of them.
   * Bills come before their payments. Refused where there are too many to be read at once.
   */
  listMoney(start: Date, end: Date): Promise<CallResult<ProcessorRef[]>>;

  /** The events since `cursor`, whether or not their callbacks arrived. */
  listSince(cursor: Date): Promise<CallResult<EventPage>>;
}
