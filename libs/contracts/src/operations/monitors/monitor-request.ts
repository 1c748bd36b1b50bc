import { IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { IsLine, IsListOfDifferent, MayBeAbsent } from '../account/text-rules.js';
import {
  CHECK_MINUTES,
  CHECK_MINUTES_MIN,
  HIT_STATES,
  type HitState,
  KEYWORD_PLACES,
  type KeywordPlace,
  MONITOR_KINDS,
  type MonitorKind,
} from './monitor-words.js';

const NAME_LENGTH_MAX = 100;
const DOMAIN_LENGTH_MAX = 2_048;
const VALUE_LENGTH_MAX = 200;
/** Maximum length of a label. */
const WORD_LENGTH_MAX = 63;
const WORDS_MAX = 4;
const OWN_DOMAINS_MAX = 100;
const TLDS_MAX = 100;

const WordList = (lengthMax: number) =>
  IsListOfDifferent(
    lengthMax,
    IsString({ each: true }),
    MinLength(1, { each: true }),
    MaxLength(WORD_LENGTH_MAX, { each: true }),
  );

/** The parts of a monitor that can be changed; its subject cannot. */
export class UpdateMonitorRequest {
  /** Your name for the monitor. */
  @MayBeAbsent()
  @IsLine(NAME_LENGTH_MAX)
  name?: string;

  /** Whether e-mails to you include the monitor's events; true by default. */
  @MayBeAbsent()
  @IsBoolean()
  mail?: boolean;

  /**
   * For a domain: minutes between two checks of its DNS, from 10; 360 by default. Each answered check beyond one in 6
   * hours costs a credit.
   */
  @MayBeAbsent()
  @IsInt()
  @Min(CHECK_MINUTES_MIN)
  @Max(CHECK_MINUTES)
  interval_minutes?: number;

  /** Only for a brand: where the keyword must be in the label; anywhere (`contains`) by default. */
  @MayBeAbsent()
  @IsIn(KEYWORD_PLACES)
  match?: KeywordPlace;

  /**
   * Only for a brand: whether to match labels that look like the keyword or differ by a typing error; true by default.
   */
  @MayBeAbsent()
  @IsBoolean()
  with_typos?: boolean;

  /** Only for a brand: further words that the label must contain. */
  @MayBeAbsent()
  @WordList(WORDS_MAX)
  include?: string[];

  /** Only for a brand: words that the label must not contain. */
  @MayBeAbsent()
  @WordList(WORDS_MAX)
  exclude?: string[];

  /** Only for a brand or registrant: your own names, which are never reported. */
  @MayBeAbsent()
  @IsListOfDifferent(
    OWN_DOMAINS_MAX,
    IsString({ each: true }),
    MaxLength(DOMAIN_LENGTH_MAX, { each: true }),
  )
  own_domains?: string[];

  /** Only for a brand or registrant: the top-level domains to search; all by default. */
  @MayBeAbsent()
  @WordList(TLDS_MAX)
  tlds?: string[];

  /** Only for a registrant: whether the whole value must match; by default, a part is enough. */
  @MayBeAbsent()
  @IsBoolean()
  exact?: boolean;
}

export class CreateMonitorRequest extends UpdateMonitorRequest {
  @IsIn(MONITOR_KINDS)
  kind: MonitorKind;

  /** The name that a domain monitor watches. */
  @MayBeAbsent()
  @IsString()
  @MaxLength(DOMAIN_LENGTH_MAX)
  domainName?: string;

  /** The keyword that a brand monitor looks for in new names. */
  @MayBeAbsent()
  @IsString()
  @MaxLength(WORD_LENGTH_MAX)
  keyword?: string;

  /** The name of a contact. A registrant monitor has exactly one of `owner`, `email` and `company`. */
  @MayBeAbsent()
  @IsLine(VALUE_LENGTH_MAX)
  owner?: string;

  /** The e-mail address of a contact. */
  @MayBeAbsent()
  @IsLine(VALUE_LENGTH_MAX)
  email?: string;

  /** The company of a contact. */
  @MayBeAbsent()
  @IsLine(VALUE_LENGTH_MAX)
  company?: string;
}

export class UpdateHitRequest {
  @IsIn(HIT_STATES)
  state: HitState;
}
