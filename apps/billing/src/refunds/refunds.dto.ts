import { IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import { IsInstant, type ReversalScope } from '#libs/contracts';

/** What an operator asks for. The same `refundId` counts once. */
export class RefundRequest {
  @IsUUID()
  refundId: string;

  @IsUUID()
  paymentId: string;

  /** `remaining`: all of the rest from `from`; what was used before stays paid. */
  @IsIn(['whole', 'remaining'])
  scope: ReversalScope;

  /** The amount of a `whole` refund in millionths, whole cents; all that is left unless given. */
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,13}0{4}$/)
  amountMicros?: string;

  /** The start of the time that a `remaining` refund is for; now unless given. */
  @IsOptional()
  @IsInstant()
  from?: string;

  @IsString()
  @Length(1, 500)
  reason: string;
}
