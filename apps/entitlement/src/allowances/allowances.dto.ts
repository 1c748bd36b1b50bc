import { IsIn, IsInt, IsString, Length, Max, Min } from 'class-validator';
import { IsInstant, OVERRIDABLE_LIMITS, type OverridableLimit } from '#libs/contracts';

const VALUE_MAX = 10_000_000;

export class LiftOverrideRequest {
  @IsIn(OVERRIDABLE_LIMITS)
  name: OverridableLimit;
}

export class OverrideLimitRequest extends LiftOverrideRequest {
  @IsInt()
  @Min(0)
  @Max(VALUE_MAX)
  value: number;

  @IsString()
  @Length(1, 500)
  reason: string;

  @IsInstant()
  until: string;
}
