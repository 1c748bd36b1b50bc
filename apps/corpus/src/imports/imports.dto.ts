import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';
import { DAY_MS, MINUTE_MS } from '#libs/platform';
import { IMPORT_KINDS, type ImportKind } from '../formats/reader.js';
import { LISTED_CATEGORIES, type ListedCategory } from '../listings/listed-category.js';

export class ChangedSource {
  /** The maximum share of the names in a zone or block list that the next version may lack. */
  @IsOptional()
  @IsNumber()
  @Min(0)
  @Max(1)
  turnoverMax?: number;

  /** Whether the last line of the source's files may lack a line ending. */
  @IsOptional()
  @IsBoolean()
  isOpenEnded?: boolean;

  /** The public key that must have signed the checkpoints of a log: DER in base64, as in log lists. */
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  logKey?: string;
}

export class ChangedSettings extends ChangedSource {
  /** Whether database files may contain the source's data; only for our own lookups. */
  @IsOptional()
  @IsBoolean()
  isSold?: boolean;
}

export class NewSource extends ChangedSource {
  /** Answers show this name as the origin of their data. */
  @IsString()
  @Matches(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    message: 'must be at most 63 lower-case letters, digits, dots, underscores and hyphens',
  })
  name: string;

  @IsIn(IMPORT_KINDS)
  kind: ImportKind;

  @IsString()
  @MaxLength(2_000)
  location: string;

  @IsBoolean()
  isShown: boolean;

  @IsBoolean()
  isSold: boolean;

  @IsBoolean()
  isLookedUp: boolean;

  /** The kind of abuse that a block list names. */
  @ValidateIf(({ kind }: NewSource) => kind === 'blocklist')
  @IsIn(LISTED_CATEGORIES)
  category?: ListedCategory;

  /** By default, the source runs only on request. */
  @IsOptional()
  @IsInt()
  @Min(MINUTE_MS)
  @Max(366 * DAY_MS)
  everyMs?: number;
}
