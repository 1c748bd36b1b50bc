import {
  IsBoolean,
  IsIn,
  IsInt,
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

/** A source to import from. */
export class NewSource {
  /** Stands in answers. */
  @IsString()
  @Matches(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
    message: 'must be at most 63 small letters, digits, dots, underscores and hyphens',
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

  /** What a block list says of its names. */
  @ValidateIf(({ kind }: NewSource) => kind === 'blocklist')
  @IsIn(LISTED_CATEGORIES)
  category?: ListedCategory;

  @IsOptional()
  @IsInt()
  @Min(MINUTE_MS)
  @Max(366 * DAY_MS)
  everyMs?: number;
}
