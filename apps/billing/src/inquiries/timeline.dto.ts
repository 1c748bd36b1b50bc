import { Type } from 'class-transformer';
import { IsInt, IsISO8601, IsOptional, Max, Min } from 'class-validator';

const ENTRIES_MAX = 1_000;

export class TimelineQuery {
  @IsOptional()
  @IsISO8601()
  before?: string;

  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(ENTRIES_MAX)
  limit: number;
}
