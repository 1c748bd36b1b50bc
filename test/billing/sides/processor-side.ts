import type { ChosenProcessor } from '#libs/contracts';
import type { Clock } from '#libs/platform';
import type { CallbackSender } from '../../../apps/simulators/src/payments/callback-sender.js';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';

/** From where a processor's side is looked at: billing alone, or an installation. */
export interface Sided {
  readonly simulator: PaymentsSimulator;
  readonly clock: Clock;
  /** Ids of every order of an account. */
  ordersOf(accountId: string): Promise<string[]>;
}

/** Something that was taken back of a payment, as the processor has it. */
export interface TakenBack {
  id: string;
  paymentId: string;
  /** A refund that did not fail; a dispute that is open or lost. */
  stands: boolean;
}

/** The money that a processor took from an account and refunded, in cents. */
export interface MoneyThere {
  paid: number;
  refunded: number;
}

/** One processor as its customers and banks see it: what happens there without billing's doing. */
export interface ProcessorSide {
  readonly name: ChosenProcessor;
  readonly callbacks: CallbackSender;
  /** How often its API was called. */
  calls(): number;
  /** The headers with which the processor sends these bytes at this moment. */
  sign(raw: Buffer): Record<string, string>;
  /** Sets how the account's payment method behaves from now on. */
  setFunds(accountId: string, behaviour: 'works' | 'declines'): Promise<void>;
  /** Agrees on the page of a change of a plan, and pays where it asks for money. */
  agree(pageUrl: string): Promise<void>;
  /** Payments that took an account's money, newest first. */
  paymentsOf(accountId: string): Promise<string[]>;
  /** A refund made there, of all that is left unless the dollars are named. @returns its id. */
  refund(paymentId: string, dollars?: number): string;
  /** Newest first. */
  refunds(): TakenBack[];
  /** The customer's bank sends the money of a refund back. */
  failRefund(refundId: string): void;
  /** @returns the dispute's id. */
  dispute(paymentId: string): string;
  /** Newest first. */
  disputes(): TakenBack[];
  decideDispute(disputeId: string, decision: 'won' | 'lost'): void;
  /** Ids of what began last there, newest first. */
  newest(kind: 'subscription' | 'bill', count: number): string[];
  /** Pages of its due, unpaid bills; none if the processor retries automatically. */
  openBills(accountId: string): Promise<string[]>;
  /** Whether a subscription of the account ends with its period there. */
  isEnding(accountId: string): Promise<boolean>;
  /** Whether the subscription that began last is ended there. */
  hasEndedLatest(): boolean;
  moneyOf(accountId: string): Promise<MoneyThere>;
}
