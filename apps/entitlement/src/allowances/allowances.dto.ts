import { Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { OVERRIDABLE_LIMITS, type OverridableLimit } from '#libs/contracts';

const VALUE_MAX = 10_000_000;

export class OverrideLimitRequest {
  @IsIn(OVERRIDABLE_LIMITS)
  name: OverridableLimit;

  @IsInt()
  @Min(0)
  @Max(VALUE_MAX)
  value: number;

  @IsString()
  @Length(1, 500)
  reason: string;

  @IsISO8601()
  until: string;
}

class ChangeCursorRequest {
  @Matches(/^[0-9]{1,20}:[0-9]{1,20}:[0-9,]{0,100000}$/)
  snapshot: string;

  @Matches(/^[0-9]{1,20}$/)
  highestXid: string;
}

export class ChangesRequest {
  @IsOptional()
  @ValidateNested()
  @Type(() => ChangeCursorRequest)
  cursor?: ChangeCursorRequest;
}
