import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import {
  CHANGES_MAX,
  type ChangesAsked,
  DATASETS,
  type Dataset,
  NEXT_NAMES_MAX,
  type NextNamesAsked,
  SUPPRESSED_NAMES_MAX,
  type SuppressedHashesAsked,
} from '#libs/contracts';

/** A signed 64-bit number in decimal. */
export const KEY_PATTERN = /^-?[0-9]{1,19}$/;
const NAME_LENGTH_MAX = 253;
const CURSOR_LENGTH_MAX = 16_384;
const AGE_SECONDS_MAX = 10 * 366 * 86_400;

export class ChangesRequest implements ChangesAsked {
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_LENGTH_MAX)
  cursor?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  since?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(CHANGES_MAX)
  limit?: number;
}

class PlacedName {
  @Matches(KEY_PATTERN)
  key: string;

  @IsString()
  @MaxLength(NAME_LENGTH_MAX)
  name: string;
}

export class NamesRequest {
  @IsArray()
  @ArrayMaxSize(SUPPRESSED_NAMES_MAX)
  @IsString({ each: true })
  @MaxLength(NAME_LENGTH_MAX, { each: true })
  names: string[];
}

export class SuppressedHashesRequest implements SuppressedHashesAsked {
  @IsIn(DATASETS)
  dataset: Dataset;

  @IsInt()
  @Min(0)
  after: number;
}

export class NextNamesRequest implements NextNamesAsked {
  @IsIn(['whois', 'dns', 'host'])
  kind: NextNamesAsked['kind'];

  @IsInt()
  @Min(0)
  @Max(AGE_SECONDS_MAX)
  olderThanSeconds: number;

  @IsOptional()
  @Matches(KEY_PATTERN)
  fromKey?: string;

  @IsOptional()
  @Matches(KEY_PATTERN)
  toKey?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => PlacedName)
  after?: PlacedName;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(NEXT_NAMES_MAX)
  limit?: number;
}
