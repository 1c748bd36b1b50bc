import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import {
  DATASETS,
  type Dataset,
  type DatasetAsked,
  FRESHEST_NAMES_MAX,
  type FreshestAsked,
  NAME_RECORD_TYPES,
  type NameRecordType,
} from '#libs/contracts';
import { KEY_PATTERN } from '../feed/feed.dto.js';

const NAME_LENGTH_MAX = 2_048;
const AGE_SECONDS_MAX = 366 * 86_400;

export class DatasetRequest implements DatasetAsked {
  @IsIn(DATASETS)
  dataset: Dataset;

  @IsOptional()
  @Matches(/^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$/)
  day?: string;

  @IsOptional()
  @Matches(KEY_PATTERN)
  fromKey?: string;

  @IsOptional()
  @Matches(KEY_PATTERN)
  toKey?: string;
}

export class FreshestRequest implements FreshestAsked {
  @IsIn(['whois', 'dns'])
  kind: 'whois' | 'dns';

  @IsArray()
  @ArrayMaxSize(FRESHEST_NAMES_MAX)
  @IsString({ each: true })
  @MaxLength(NAME_LENGTH_MAX, { each: true })
  names: string[];

  @IsOptional()
  @IsArray()
  @IsIn(NAME_RECORD_TYPES, { each: true })
  types?: NameRecordType[];

  @IsInt()
  @Min(0)
  @Max(AGE_SECONDS_MAX)
  maxAgeSeconds: number;
}
