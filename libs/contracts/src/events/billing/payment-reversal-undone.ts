import { IsUUID } from 'class-validator';
import { EventType } from '../event-type.js';

/** A refund failed or a dispute was won: the reversal no longer has any effect. */
@EventType({ type: 'billing.payment-reversal-undone', version: 1, kind: 'delta' })
export class PaymentReversalUndone {
  @IsUUID()
  reversalId: string;
}
