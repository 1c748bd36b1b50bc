import type { ChosenProcessor } from '#libs/contracts';
import type { Clock } from '#libs/platform';
import type { CallbackSender } from '../../../apps/simulators/src/payments/callback-sender.js';
import type { CheckoutAction } from '../hosted-page.js';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';

/** The system that uses a processor: billing alone, or a whole installation. */
export interface Sided {
  readonly simulator: PaymentsSimulator;
  readonly clock: Clock;
  /** Returns the ids of all orders of an account. */
  ordersOf(accountId: string): Promise<string[]>;
}

/** Money of a payment that was returned, as the processor records it. */
export interface TakenBack {
  id: string;
  paymentId: string;
  /** Whether a refund did not fail, or a dispute is open or lost. */
  stands: boolean;
}

/** The money that a processor took from an account, and the money that it refunded, in cents. */
export interface MoneyThere {
  paid: number;
  refunded: number;
}

/** A processor from the view of its customers and banks: everything that happens there without billing. */
export interface ProcessorSide {
  readonly name: ChosenProcessor;
  readonly callbacks: CallbackSender;
  /** The number of calls to the processor's API. */
  calls(): number;
  /** Returns the headers that the processor would send with these bytes now. */
  sign(raw: Buffer): Record<string, string>;
  /** Changes how the account's payment method behaves from now on. */
  setFunds(accountId: string, behaviour: 'works' | 'declines'): Promise<void>;
  /** Agrees to a plan change on its page. If the page asks for money, pays or takes another action. */
  agree(pageUrl: string, action?: CheckoutAction): Promise<void>;
  /** Returns the payments that took money from an account, newest first. */
  paymentsOf(accountId: string): Promise<string[]>;
  /**
   * Makes a refund at the processor: of the given amount in dollars, or of everything that remains.
   * @returns the refund's id.
   */
  refund(paymentId: string, dollars?: number): string;
  /** Returns the refunds, newest first. */
  refunds(): TakenBack[];
  /** Lets the customer's bank return the money of a refund. */
  failRefund(refundId: string): void;
  /** @returns the dispute's id. */
  dispute(paymentId: string): string;
  /** Returns the disputes, newest first. */
  disputes(): TakenBack[];
  decideDispute(disputeId: string, decision: 'won' | 'lost'): void;
  /** Returns the ids of the newest subscriptions or bills at the processor, newest first. */
  newest(kind: 'subscription' | 'bill', count: number): string[];
  /** Returns the pages of the account's due, unpaid bills; none if the processor retries automatically. */
  openBills(accountId: string): Promise<string[]>;
  /** Whether the processor will end a subscription of the account with its period. */
  isEnding(accountId: string): Promise<boolean>;
  /** Whether the newest subscription has ended at the processor. */
  hasEndedLatest(): boolean;
  moneyOf(accountId: string): Promise<MoneyThere>;
}
