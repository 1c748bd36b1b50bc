import type { PaymentLineKind } from '#libs/contracts';

/** What was paid for a stretch of a subscription, and what is left of it. Amounts as decimal strings. */
export interface SubscriptionPayment {
  kind: PaymentLineKind;
  periodStart: Date;
  periodEnd: Date;
  paymentId: string;
  externalId: string;
  paidMicros: string;
  reversedMicros: string;
}
