import type { Clock } from '#libs/platform';
import type { PaymentsSimulator } from '../../../apps/simulators/src/payments/payments-simulator.js';

export interface Sided {
  readonly simulator: PaymentsSimulator;
  readonly clock: Clock;
  ordersOf(accountId: string): Promise<string[]>;
}

export interface TakenBack {
  id: string;
  paymentId: string;
  /** Whether a refund has succeeded, or a dispute is open or lost. */
  stands: boolean;
}

/** The money that a processor took from an account, and the money that it refunded, in cents. */
export interface MoneyThere {
  paid: number;
  refunded: number;
}
