import type { PaymentLineKind } from '#libs/contracts';

/** What was paid for a period of a subscription, and what is left of it. Amounts are decimal strings. */
export interface SubscriptionPayment {
  kind: PaymentLineKind;
  sku: string;
  quantity: number;
  isChange: boolean;
  /** From when it counts. */
  startsAt: Date;
  periodStart: Date;
  periodEnd: Date;
  paidMicros: string;
  /** Taken back for good of all that it paid for. */
  wholeMicros: string;
  /** Taken back for good of its rest, and from when. */
  restMicros: string;
  keptUntil: Date | null;
}
