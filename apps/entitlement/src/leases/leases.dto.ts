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

export class CloseLeaseRequest {
  @IsUUID()
  leaseId: string;

  /** Cumulative credits. */
  @IsInt()
  @Min(0)
  @Max(AMOUNT_MAX)
  consumed: number;
}

export class LeaseUseRequest extends CloseLeaseRequest {
  @IsUUID()
  accountId: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(AMOUNT_MAX)
  keep?: number;
}

export class SettleLeasesRequest {
  @IsString()
  @Length(1, 100)
  gatewayId: string;

  @ValidateNested({ each: true })
  @Type(() => LeaseUseRequest)
  @ArrayMaxSize(1000)
  leases: LeaseUseRequest[];
}
