import { IsBoolean, IsIn, IsISO8601, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { IsCount, Nested, NestedList, NullableText, OptionalText } from '../../members.js';
import { PagedAnswer } from '../paging/paging-answer.js';
import { IsNullable } from '../../nullable.js';

export const TYPO_KINDS = [
  'addition',
  'bitsquatting',
  'homoglyph',
  'hyphenation',
  'insertion',
  'omission',
  'plural',
  'repetition',
  'replacement',
  'subdomain',
  'transposition',
  'vowel-swap',
  'dictionary',
  'tld-swap',
  'various',
  'keyword',
  'pattern',
] as const;
export type TypoKind = (typeof TYPO_KINDS)[number];

export const TYPO_REASONS = [
  'looks_the_same',
  'one_letter_off',
  'two_letters_off',
  'three_letters_off',
  'contains_name',
  'other_suffix',
  'new_within_30_days',
  'takes_mail',
] as const;
export type TypoReason = (typeof TYPO_REASONS)[number];

/** How easily a name may be mistaken for another name. */
export class TypoScore {
  /** 0 to 100; 100 means most similar. */
  @IsInt()
  @Min(0)
  @Max(100)
  score: number;

  @IsIn(TYPO_REASONS, { each: true })
  reasons: TypoReason[];
}

/** A registered name that looks like the requested name. */
export class LookAlike extends TypoScore {
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  /** Only with `kind=subdomain`: the host that looks like the requested name. */
  @OptionalText()
  host?: string;

  @IsIn(TYPO_KINDS)
  kind: TypoKind;

  @IsISO8601()
  first_seen: string;

  /** The registrar in the newest record; null if unknown. */
  @NullableText()
  registrar: string | null;

  @NullableText()
  create_date: string | null;

  @NullableText()
  expiry_date: string | null;

  /** Null if unknown. */
  @IsNullable()
  @IsString({ each: true })
  name_servers: string[] | null;

  /** Hosts that receive its mail; null if they have not been looked up. */
  @IsNullable()
  @IsString({ each: true })
  mx: string[] | null;

  /** The name of the record's source in `coverage`. */
  @IsString()
  source: string;
}

/** The subject of a search for look-alikes. */
export class TypoQuery {
  @IsIn(['domainName', 'keyword', 'pattern'])
  selector: string;

  @IsString()
  value: string;

  /** Number of names that were generated and searched, with `domainName`. */
  @IsOptional()
  @IsCount()
  permutations?: number;
}

/** Registered look-alikes. */
export class TyposAnswer extends PagedAnswer {
  @Nested(() => TypoQuery)
  query: TypoQuery;

  @NestedList(() => LookAlike)
  domains: LookAlike[];
}

/** One of the compared names. */
export class ScoredName extends TypoScore {
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  /** The rule that derives this name from the name it is compared with; null if no rule does. */
  @IsNullable()
  @IsIn(TYPO_KINDS)
  kind: TypoKind | null;
}

/** Names and their similarity to one of the customer's names. */
export class TypoScoresAnswer {
  @IsBoolean()
  status: boolean;

  @IsString()
  domain_name: string;

  /** In the order of the request. */
  @NestedList(() => ScoredName)
  domains: ScoredName[];
}
