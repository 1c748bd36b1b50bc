import type { Stripe } from 'stripe';
import { DAY_MS } from '#libs/platform';
import { type ApiFaults, refusesRefund } from '../api-faults.js';
import type { Dispute, PaymentIntent, Refund } from './stripe-objects.js';
import { StripeRefusal } from './requests/stripe-refusal.js';
import type { StripeWorld } from './stripe-world.js';

export interface NewPayment {
  amount: number;
  currency: string;
  customer: string | null;
  metadata: Stripe.Metadata;
}

/** The time that a delayed method (a bank debit) takes to move the money. */
export const DELAYED_PAYMENT_MS = 3 * DAY_MS;

export class PaymentIntents {
  constructor(
    private readonly world: StripeWorld,
    private readonly faults: ApiFaults,
  ) {}

  create(payment: NewPayment, status: PaymentIntent['status']): PaymentIntent {
    const isPaid = status === 'succeeded';
    return this.world.put({
      id: this.world.newId('payment_intent'),
      object: 'payment_intent',
      ...payment,
      amount_received: isPaid ? payment.amount : 0,
      created: this.world.now,
      latest_charge: isPaid ? this.world.newId('ch') : null,
      livemode: false,
      status,
    } satisfies PaymentIntent);
  }

  succeed(payment: PaymentIntent): void {
    payment.status = 'succeeded';
    payment.amount_received = payment.amount;
    payment.latest_charge = this.world.newId('ch');
  }

  fail(payment: PaymentIntent): void {
    payment.status = 'requires_payment_method';
  }

  /** `POST /v1/refunds`. */
  refund(params: Stripe.RefundCreateParams): Refund {
    const payment = this.world.named('payment_intent', params.payment_intent, 'payment_intent');
    if (refusesRefund(this.faults)) {
      throw StripeRefusal.invalid(
        'insufficient_funds',
        'Insufficient funds in your Stripe balance.',
      );
    }
    const rest = payment.amount - this.refundedOf(payment);
    const amount = params.amount ?? rest;
    if (payment.status !== 'succeeded') {
      throw StripeRefusal.invalid('charge_not_captured', 'This PaymentIntent has no charge.');
    }
    if (rest === 0) {
      const message = `Charge ${String(payment.latest_charge)} has already been refunded.`;
      throw StripeRefusal.invalid('charge_already_refunded', message);
    }
    if (!Number.isInteger(amount) || amount <= 0) {
      const message = 'Invalid positive integer';
      throw StripeRefusal.invalid('parameter_invalid_integer', message, 'amount');
    }
    if (amount > rest) {
      const message = 'Refund amount is greater than unrefunded amount on charge.';
      throw StripeRefusal.invalid(undefined, message, 'amount');
    }
    const refund = this.world.put({
      id: this.world.newId('refund'),
      object: 'refund',
      amount,
      charge: payment.latest_charge,
      created: this.world.now,
      currency: payment.currency,
      metadata: (params.metadata as Stripe.Metadata | undefined) ?? {},
      payment_intent: payment.id,
      status: 'succeeded',
    } satisfies Refund);
    this.world.emit('v1.refund.created', refund);
    return refund;
  }

  refundsOf(paymentId: string): Refund[] {
    return this.world.all('refund').filter(({ payment_intent }) => payment_intent === paymentId);
  }

  /** Fails a refund, as when the customer's bank returns the money days later. */
  failRefund(id: string): void {
    const refund = this.world.get('refund', id);
    refund.status = 'failed';
    refund.failure_reason = 'expired_or_canceled_card';
    this.world.emit('v1.refund.failed', refund);
  }

  /** Opens a dispute as the customer's bank would: the money is withdrawn at once. */
  dispute(paymentId: string): Dispute {
    const payment = this.world.get('payment_intent', paymentId);
    const dispute = this.world.put({
      id: this.world.newId('dispute'),
      object: 'dispute',
      amount: payment.amount,
      balance_transactions: [{ amount: -payment.amount }],
      charge: payment.latest_charge as string,
      created: this.world.now,
      currency: payment.currency,
      livemode: false,
      payment_intent: payment.id,
      reason: 'fraudulent',
      status: 'needs_response',
    } satisfies Dispute);
    this.world.emit('v1.charge.dispute.created', dispute);
    this.world.emit('v1.charge.dispute.funds_withdrawn', dispute);
    return dispute;
  }

  /**
   * Records the bank's decision. A dispute that was won may be reopened as lost, and vice versa. A prevented dispute
   * returns the money to the customer before it begins, as the seller's rules for such disputes say.
   */
  decideDispute(id: string, status: 'won' | 'lost' | 'prevented'): void {
    const dispute = this.world.get('dispute', id);
    dispute.status = status;
    const withdrawn = { amount: -dispute.amount };
    dispute.balance_transactions = [withdrawn];
    if (status === 'won') {
      dispute.balance_transactions.push({ amount: dispute.amount });
      this.world.emit('v1.charge.dispute.funds_reinstated', dispute);
    }
    this.world.emit('v1.charge.dispute.closed', dispute);
  }

  private refundedOf({ id }: PaymentIntent): number {
    return this.refundsOf(id)
      .filter(({ status }) => status !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}
