import { IsInt, IsOptional, IsString, IsUUID, Length, Max, Min } from 'class-validator';
import { IsInstant } from '#libs/contracts';
import { AMOUNT_MAX } from '../ledger/ledger.dto.js';

export class OperatorRevocationRequest {
  /** The id, chosen by the caller. A repeat with the same id has no effect. */
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
  /** The id, chosen by the caller. A repeat with the same id has no effect. */
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
  @IsInstant()
  expiresAt?: string;
}
