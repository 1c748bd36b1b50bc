import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsIn, IsUUID, Matches, ValidateNested } from 'class-validator';
import { EventType } from '../event-type.js';

export class ReversedLine {
  @IsUUID()
  lineId: string;

  /** refunded ÷ paid of the line, decimal string between 0 and 1. */
  @Matches(/^(0\.[0-9]{1,18}|1|1\.0+|0)$/)
  share: string;
}

/** A refund or dispute of a payment: `requested` freezes the credits, `final` takes them back. */
@EventType({ type: 'billing.payment-reversed', version: 1, kind: 'delta' })
export class PaymentReversed {
  @IsUUID()
  reversalId: string;

  @IsUUID()
  paymentId: string;

  @IsIn(['refund', 'dispute'])
  cause: 'refund' | 'dispute';

  @IsIn(['requested', 'final'])
  phase: 'requested' | 'final';

  @ValidateNested({ each: true })
  @Type(() => ReversedLine)
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  lines: ReversedLine[];
}
