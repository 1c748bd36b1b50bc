import { IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import { IsInstant, type ReversalScope } from '#libs/contracts';

/** An operator's request. Requests with the same `refundId` count once. */
export class RefundRequest {
  @IsUUID()
  refundId: string;

  @IsUUID()
  paymentId: string;

  /** The scope. `remaining` covers everything from `from` on; the time before `from` remains paid. */
  @IsIn(['whole', 'remaining'])
  scope: ReversalScope;

  /** The amount of a `whole` refund in millionths, whole cents; if missing, all that is left. */
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,13}0{4}$/)
  amountMicros?: string;

  /** The start of the time that a `remaining` refund covers; if missing, now. */
  @IsOptional()
  @IsInstant()
  from?: string;

  @IsString()
  @Length(1, 500)
  reason: string;
}
