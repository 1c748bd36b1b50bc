import { ArrayMaxSize, ArrayMinSize, IsIn, IsUUID, Matches } from 'class-validator';
import { EventType } from '../event-type.js';
import { IsAtMost, IsInstant, OneOf } from '../rules.js';
import { MICROS } from './payment-line.js';

const REVERSAL_SCOPES = ['whole', 'remaining'] as const;
export type ReversalScope = (typeof REVERSAL_SCOPES)[number];

export class AnyReversedLine {
  @IsUUID()
  lineId: string;

  @IsIn(REVERSAL_SCOPES)
  scope: ReversalScope;

  /** The amount of the line that this reversal takes back: millionths of the currency unit, decimal string. */
  @Matches(MICROS)
  @IsAtMost('paidMicros')
  refundedMicros: string;

  @Matches(MICROS)
  paidMicros: string;
}

/** Any amount of money, spread over everything that the line granted. */
export class WholeReversedLine extends AnyReversedLine {
  @IsIn(['whole'])
  override scope: 'whole';
}

/** The rest of a period, from `from` on; the time before `from` remains paid. */
export class RemainingReversedLine extends AnyReversedLine {
  @IsIn(['remaining'])
  override scope: 'remaining';

  @IsInstant()
  from: string;
}

/**
 * A refund or dispute of a payment: `requested` blocks credits, `final` revokes them. Each attempt has its own
 * `reversalId`; a final event may have a different amount than its request.
 */
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

  @OneOf('scope', { whole: WholeReversedLine, remaining: RemainingReversedLine }, AnyReversedLine)
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  lines: (WholeReversedLine | RemainingReversedLine)[];
}
