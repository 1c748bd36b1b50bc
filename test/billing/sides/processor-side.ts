import type { ChosenProcessor } from '#libs/contracts';
import type { Clock } from '#libs/platform';
import type { CallbackSender } from '../../../apps/simulators/src/payments/callback-sender.js';
import type { CheckoutAction } from '../hosted-page.js';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';

/** The system to which a processor belongs: billing alone, or a whole installation. */
export interface Sided {
  readonly simulator: PaymentsSimulator;
  readonly clock: Clock;
  /** The ids of all orders of an account. */
  ordersOf(accountId: string): Promise<string[]>;
}

/** Money of a payment that was taken back, as the processor records it. */
export interface TakenBack {
  id: string;
  paymentId: string;
  /** A refund that did not fail, or a dispute that is open or lost. */
  stands: boolean;
}

/** The money that a processor took from an account and refunded, in cents. */
export interface MoneyThere {
  paid: number;
  refunded: number;
}

/** A processor as its customers and banks see it: everything that happens there without billing. */
export interface ProcessorSide {
  readonly name: ChosenProcessor;
  readonly callbacks: CallbackSender;
  /** The number of calls to its API. */
  calls(): number;
  /** The headers that the processor would send with these bytes now. */
  sign(raw: Buffer): Record<string, string>;
  /** Sets how the account's payment method behaves from now on. */
  setFunds(accountId: string, behaviour: 'works' | 'declines'): Promise<void>;
  /** Agrees to a change of plan on its page, and pays, or takes another action, if the page asks for money. */
  agree(pageUrl: string, action?: CheckoutAction): Promise<void>;
  /** The payments that took an account's money, newest first. */
  paymentsOf(accountId: string): Promise<string[]>;
  /**
   * Makes a refund at the processor, of everything that is left unless an amount in dollars is given.
   * @returns its id.
   */
  refund(paymentId: string, dollars?: number): string;
  /** Refunds, newest first. */
  refunds(): TakenBack[];
  /** The customer's bank returns the money of a refund. */
  failRefund(refundId: string): void;
  /** @returns the dispute's id. */
  dispute(paymentId: string): string;
  /** Disputes, newest first. */
  disputes(): TakenBack[];
  decideDispute(disputeId: string, decision: 'won' | 'lost'): void;
  /** Ids of the newest subscriptions or bills there, newest first. */
  newest(kind: 'subscription' | 'bill', count: number): string[];
  /** The pages of its due, unpaid bills; none if the processor retries automatically. */
  openBills(accountId: string): Promise<string[]>;
  /** Whether the processor ends a subscription of the account with its period. */
  isEnding(accountId: string): Promise<boolean>;
  /** Whether the newest subscription has ended at the processor. */
  hasEndedLatest(): boolean;
  moneyOf(accountId: string): Promise<MoneyThere>;
}
