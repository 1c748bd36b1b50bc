import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { SECTIONS, type Section } from '../serializers/v2-body.js';

const MAX_AGE_LIMIT_SECONDS = 86_400;
const FIELDS_MAX = 50;

/** What the gateway asks; the names are those of the public API. */
export class LiveQuery {
  @IsString()
  @MaxLength(2048)
  domainName: string;

  @IsIn(['1', '2'])
  version: '1' | '2' = '2';

  /** Seconds. 0 asks the registry, whatever is remembered. */
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(MAX_AGE_LIMIT_SECONDS)
  max_age: number = 0;

  @IsOptional()
  @Transform(({ value }) => asBoolean(value))
  @IsBoolean({ message: 'allow_stale must be true or false' })
  allow_stale: boolean = false;

  /** Looks again even within a minute of the last answer, and after a failure that is remembered. */
  @IsOptional()
  @Transform(({ value }) => asBoolean(value))
  @IsBoolean({ message: 'fresh must be true or false' })
  fresh: boolean = false;

  /** Dot paths of the second version's members. */
  @IsOptional()
  @Transform(({ value }) => asList(value))
  @ArrayMaxSize(FIELDS_MAX)
  @Matches(/^[a-z][a-z0-9_]{0,39}(\.[a-z0-9][a-z0-9_]{0,39}){0,4}$/, {
    each: true,
    message: 'fields must be a list of paths such as dates.created',
  })
  fields?: string[];

  @IsOptional()
  @Transform(({ value }) => asList(value))
  @IsIn(SECTIONS, { each: true, message: `include must be a list of ${SECTIONS.join(', ')}` })
  include?: Section[];
}

function asBoolean(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

function asList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',').filter((part) => part !== '') : value;
}
