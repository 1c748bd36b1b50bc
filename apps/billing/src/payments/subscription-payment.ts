import type { PaymentLineKind } from '#libs/contracts';

/** The payment for a period of a subscription, and what is left of it. Amounts are decimal strings. */
export interface SubscriptionPayment {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  isChange: boolean;
  /** When it takes effect. */
  startsAt: Date;
  periodStart: Date;
  periodEnd: Date;
  paidMicros: string;
  /** Finally reversed, of the whole payment. */
  wholeMicros: string;
  /** Finally reversed, of the rest of the period, and from when. */
  restMicros: string;
  keptUntil: Date | null;
}
