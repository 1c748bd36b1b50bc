import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { CreditsByOperation } from '#libs/contracts';
import { AreCreditsByOperation } from '../used-credits/operation-name.js';
import { AMOUNT_MAX } from '../ledger/ledger.dto.js';

export class AcquireLeaseRequest {
  @IsUUID()
  leaseId: string;

  @IsString()
  @Length(1, 100)
  gatewayId: string;

  @IsInt()
  @Min(1)
  @Max(AMOUNT_MAX)
  min: number;

  @IsInt()
  @Min(0)
  @Max(AMOUNT_MAX)
  wanted: number;
}

export class LeaseUseRequest {
  @IsUUID()
  leaseId: string;

  @IsUUID()
  accountId: string;

  @IsInt()
  @Min(0)
  @Max(AMOUNT_MAX)
  consumed: number;

  /** The credits used so far by operation, as cumulative totals. */
  @IsOptional()
  @AreCreditsByOperation()
  operations?: CreditsByOperation;
}

export class CloseLeasesRequest {
  @ValidateNested({ each: true })
  @Type(() => LeaseUseRequest)
  @ArrayMaxSize(1000)
  leases: LeaseUseRequest[];
}

export class SettleLeasesRequest extends CloseLeasesRequest {
  @IsOptional()
  @IsUUID(undefined, { each: true })
  @ArrayMaxSize(1000)
  accounts?: string[];

  @IsString()
  @Length(1, 100)
  gatewayId: string;
}
