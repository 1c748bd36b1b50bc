import type { PaymentLineKind } from '#libs/contracts';

/** A payment for a period of a subscription, and what is left of the payment. Amounts are decimal strings. */
export interface SubscriptionPayment {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  isChange: boolean;
  /** When the payment takes effect. */
  startsAt: Date;
  periodStart: Date;
  periodEnd: Date;
  paidMicros: string;
  /** The part of the whole payment that was finally reversed. */
  wholeMicros: string;
  /** The amount finally reversed for the rest of the period, which begins at `keptUntil`. */
  restMicros: string;
  keptUntil: Date | null;
}
