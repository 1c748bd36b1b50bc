import { IsInt, IsISO8601, IsOptional, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import { AMOUNT_MAX } from '../ledger/ledger.dto.js';

export class OperatorRevocationRequest {
  /** Chosen by the caller; the same revocation counts once. */
  @IsUUID()
  revocationId: string;

  @IsInt()
  @Min(1)
  @Max(AMOUNT_MAX)
  amount: number;

  @IsString()
  @Length(1, 500)
  reason: string;
}

export class OperatorGrantRequest {
  /** Chosen by the caller; the same adjustment counts once. */
  @IsUUID()
  adjustmentId: string;

  @IsInt()
  @Min(1)
  @Max(AMOUNT_MAX)
  amount: number;

  @IsString()
  @Length(1, 500)
  reason: string;

  @IsOptional()
  @IsISO8601()
  expiresAt?: string;
}
