import type { PaymentLineKind } from '#libs/contracts';

/** A paid line of a subscription, and how much of its payment was reversed. Amounts are decimal strings. */
export interface SubscriptionPayment {
  paymentId: string;
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  isChange: boolean;
  startsAt: Date;
  periodStart: Date;
  periodEnd: Date;
  paidMicros: string;
  /** The sum of the payment's final reversals with the scope `whole`. */
  wholeMicros: string;
  /** The sum of the payment's final reversals for the rest of the period, which begins at `keptUntil`. */
  restMicros: string;
  keptUntil: Date | null;
}
