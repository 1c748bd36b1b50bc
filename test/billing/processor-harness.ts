import type {
  PaymentProcessor,
  RefundSnapshot,
} from '../../apps/billing/src/processors/payment-processor.js';
import type { TestClock } from '#test/environment';

/** A callback as it arrived on the wire. */
export interface ReceivedCallback {
  raw: Buffer;
  headers: Record<string, unknown>;
}

/** The actions of a customer on a processor's page. */
export type CheckoutAction =
  'pay' | 'three-d-secure' | 'decline' | 'delayed' | 'delayed-failing' | 'abandon';

/** A real adapter and its simulated processor, connected through real sockets, for the contract of the port. */
export interface ProcessorHarness {
  processor: PaymentProcessor;
  clock: TestClock;
  /** An adapter with other callback secrets; `current` is that of the endpoint. */
  adapterWith(secrets: readonly ('current' | 'next' | 'foreign')[]): PaymentProcessor;
  /** Every callback that arrived, in the order of arrival. */
  received: ReceivedCallback[];
  /** Resolves when no callback is in flight. */
  delivered(): Promise<void>;
  /** Signs bytes as the processor would at this moment. */
  sign(raw: Buffer, secret?: 'current' | 'next' | 'foreign'): ReceivedCallback;
  /** A correctly signed event of the processor's live mode, while the adapter is in test mode. */
  signAsLive(raw: Buffer): ReceivedCallback;
  /**
   * The customer's action at a checkout.
   * @returns the address to which the browser is sent.
   */
  act(redirectUrl: string, action: CheckoutAction): Promise<string>;
  /** Accepts a change of plan as the customer, and pays for it if it needs approval. */
  agree(redirectUrl: string): Promise<void>;
  /** Moves the time of the processor and of the adapter. */
  pass(ms: number): Promise<void>;
  /** Loses the answers to calls that change something while `work` runs; the calls are carried out. */
  losingAnswers<T>(work: () => Promise<T>): Promise<T>;
  /** How many objects of a kind there are at the processor. */
  count(kind: 'checkout' | 'refund'): number;
  /** Sets how the customer's card behaves from now on. */
  setCard(customerId: string, behaviour: 'works' | 'declines'): Promise<void>;
  failRefund(refund: RefundSnapshot): Promise<void>;
  /** @returns the dispute's id. */
  dispute(paymentId: string): Promise<string>;
  decideDispute(disputeId: string, decision: 'won' | 'lost'): Promise<void>;
  stop(): Promise<void>;
}
