import { IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { DAY_MS } from '#libs/platform';
import { OPERATION_NAME } from '../used-credits/operation-name.js';
import { AMOUNT_MAX } from '../ledger/ledger.dto.js';

class HoldRequest {
  @IsString()
  @Length(1, 200)
  @Matches(/^[\x21-\x7e]+$/)
  holdId: string;
}

export class OpenHoldRequest extends HoldRequest {
  @IsInt()
  @Min(1)
  @Max(AMOUNT_MAX)
  amount: number;

  /** How long the hold lasts, in milliseconds; absent for a job's hold. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(DAY_MS)
  ttlMs?: number;

  @IsOptional()
  @Matches(OPERATION_NAME)
  operation?: string;
}

export class SettleHoldRequest extends HoldRequest {
  @IsString()
  @Length(1, 100)
  part: string;

  @IsInt()
  @Min(0)
  @Max(AMOUNT_MAX)
  count: number;
}

export class CloseHoldRequest extends HoldRequest {}
