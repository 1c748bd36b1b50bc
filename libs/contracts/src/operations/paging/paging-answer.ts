import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Min } from 'class-validator';
import { IsCount, Nested, NestedList, NullableText, NullableTime } from '../../members.js';

/** How certain a count is: exact, a lower bound, or an estimate from statistics. */
export const TOTALS = ['exact', 'at_least', 'estimate'] as const;
export type TotalKind = (typeof TOTALS)[number];

/** The position of a page in its list, and the size of the list. Every list of the product has this member. */
export class Paging {
  /** Starts at 1. With a cursor, the number of pages read so far, including this one. */
  @IsInt()
  @Min(1)
  page: number;

  @IsInt()
  @Min(1)
  page_size: number;

  @IsCount()
  total_records: number;

  @IsIn(TOTALS)
  total_is: TotalKind;

  @IsCount()
  total_pages: number;

  @IsBoolean()
  has_next: boolean;

  /** `cursor` of the next page; null on the last one. */
  @NullableText()
  next_cursor: string | null;
}

/** Returns the paging block of a list that fits on one page. */
export function onePage(records: number, pageSize: number): Paging {
  return {
    page: 1,
    page_size: pageSize,
    total_records: records,
    total_is: 'exact',
    total_pages: Math.ceil(records / pageSize),
    has_next: false,
    next_cursor: null,
  };
}

/** A data source that is loaded on this installation. */
export class LoadedSource {
  /**
   * The name that the operator gave to the source; `lookups` for this installation's own lookups, `fixtures` for the
   * answers to test keys.
   */
  @IsString()
  source: string;

  /** The earliest time that its data covers, RFC 3339; null if unknown. */
  @NullableTime()
  since: string | null;

  /** When the source was last updated, RFC 3339; null before its first update. */
  @NullableTime()
  updated_at: string | null;

  /** Number of its rows, rounded if there are too many to count. */
  @IsCount()
  records: number;

  /** True if the source's data is invented, for trials. */
  @IsOptional()
  @IsBoolean()
  is_generated?: boolean;
}

/** The data that a search covered. */
export class Coverage {
  /** False if no loaded source could contain an answer: an empty result then proves nothing. */
  @IsBoolean()
  has_data: boolean;

  @NestedList(() => LoadedSource)
  sources: LoadedSource[];

  /** Number of known names under the top-level domain of the search. */
  @IsOptional()
  @IsCount()
  names_in_tld?: number;
}

/** The price of a whole search in one of its modes. */
export class PreviewedMode {
  @IsString()
  mode: string;

  @IsInt()
  @Min(1)
  page_size: number;

  @IsCount()
  total_pages: number;

  @IsCount()
  credits_per_page: number;

  /** The price of all pages together. */
  @IsCount()
  credits_total: number;
}

/** The members of every paged search's answer, apart from its records. */
export class PagedAnswer {
  @IsBoolean()
  status: boolean;

  @Nested(() => Paging)
  paging: Paging;

  @Nested(() => Coverage)
  coverage: Coverage;

  /** Present with `mode=preview`, which returns no records and costs nothing: the price of each mode. */
  @IsOptional()
  @NestedList(() => PreviewedMode)
  preview?: PreviewedMode[];
}
