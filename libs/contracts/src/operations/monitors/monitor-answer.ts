import { IsBoolean, IsIn, IsInt, IsISO8601, IsOptional, IsString, IsUUID } from 'class-validator';
import { Nested, NestedList, NullableText, NullableTime, OptionalText } from '../../members.js';
import { Paging } from '../paging/paging-answer.js';
import { IsNullable } from '../../nullable.js';
import {
  HIT_STATES,
  type HitState,
  KEYWORD_PLACES,
  type KeywordPlace,
  MATCH_REASONS,
  type MatchReason,
  MONITOR_CHANGE_TYPES,
  type MonitorChangeType,
  MONITOR_EVENT_TYPES,
  type MonitorEventType,
  MONITOR_KINDS,
  type MonitorKind,
  MONITOR_STATES,
  type MonitorState,
} from './monitor-words.js';

/** The names that a monitor watches and those that it excludes. */
export class MonitorRule {
  /** A-labels. */
  @OptionalText()
  domain_name?: string;

  /** Minutes between two DNS checks; absent for the included checks, every 6 hours. */
  @IsOptional()
  @IsInt()
  interval_minutes?: number;

  @OptionalText()
  keyword?: string;

  @IsOptional()
  @IsIn(KEYWORD_PLACES)
  match?: KeywordPlace;

  @IsOptional()
  @IsBoolean()
  with_typos?: boolean;

  @OptionalText({ each: true })
  include?: string[];

  @OptionalText({ each: true })
  exclude?: string[];

  @OptionalText()
  owner?: string;

  @OptionalText()
  email?: string;

  @OptionalText()
  company?: string;

  @IsOptional()
  @IsBoolean()
  exact?: boolean;

  @OptionalText({ each: true })
  own_domains?: string[];

  @OptionalText({ each: true })
  tlds?: string[];
}

/** The price of a domain's additional checks. */
export class MonitorPrice {
  /** The credits for each additional check that is answered; a failed check is free. */
  @IsInt()
  credits_per_check: number;

  @IsInt()
  credits_per_day_max: number;

  /** Whether the account lacks credits. Until it has enough, the domain is checked every 6 hours. */
  @IsBoolean()
  is_short_of_credits: boolean;

  /** In a dry run: credits that the account lacks for a day of these checks. */
  @IsOptional()
  @IsInt()
  shortfall?: number;
}

/** The checks of a name since this account began to watch it; all are null unless the monitor is active. */
export class MonitorChecks {
  @NullableTime()
  dns_checked_at: string | null;

  @NullableTime()
  whois_checked_at: string | null;

  /** When the next check of the DNS is due. */
  @NullableTime()
  dns_due_at: string | null;

  @NullableTime()
  whois_due_at: string | null;

  /** `YYYY-MM-DD`; reminders are sent 30, 7 and 1 days before it. Null if it is unknown. */
  @NullableText()
  expiry_date: string | null;

  /** False if the registry publishes no expiry date, so that no reminder can be sent. Null before the first check. */
  @IsNullable()
  @IsBoolean()
  expiry_published: boolean | null;

  /** Why the last check of the DNS got no answer, such as `resolver_timeout`; null if it got an answer. */
  @NullableText()
  dns_problem: string | null;

  /** `dns_problem` as a sentence; null if it is null. */
  @NullableText()
  dns_problem_detail: string | null;

  /** Why the last check of the registration got no answer, such as `tld_unsupported`; null if it got an answer. */
  @NullableText()
  problem: string | null;

  /** `problem` as a sentence; null if it is null. */
  @NullableText()
  problem_detail: string | null;
}

export class MonitorAnswer {
  @IsBoolean()
  status: boolean;

  @IsUUID()
  id: string;

  @IsIn(MONITOR_KINDS)
  kind: MonitorKind;

  @IsString()
  name: string;

  /**
   * `paused`: you paused the monitor. `over_limit`: we paused it, because you have more monitors than your plan
   * includes; it resumes as soon as there is a place for it.
   */
  @IsIn(MONITOR_STATES)
  state: MonitorState;

  @IsBoolean()
  mail: boolean;

  @IsISO8601()
  created_at: string;

  @Nested(() => MonitorRule)
  watches: MonitorRule;

  /** The checks of a domain monitor. */
  @IsOptional()
  @Nested(() => MonitorChecks)
  checks?: MonitorChecks;

  /** The price of the additional checks; only for a domain monitor that has some. */
  @IsOptional()
  @Nested(() => MonitorPrice)
  price?: MonitorPrice;
}

export class MonitorsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => MonitorAnswer)
  monitors: MonitorAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}

/**
 * A value that has changed. An empty list means that there is no value, or that none is published. For a contact, the
 * list contains only `published`, because personal values are not stored.
 */
export class MonitorChange {
  @IsIn(MONITOR_CHANGE_TYPES)
  type: MonitorChangeType;

  /** The member of the WHOIS answer, or `dns.` and the type of record. */
  @IsString()
  path: string;

  @IsString({ each: true })
  before: string[];

  @IsString({ each: true })
  after: string[];

  /**
   * True if the value changes back and forth: further changes are not reported until the value has been stable for a
   * day.
   */
  @IsOptional()
  @IsBoolean()
  is_flapping?: boolean;
}

/** Why a name was found. */
export class MonitorMatch {
  @IsIn(MATCH_REASONS)
  reason: MatchReason;

  /** The watched keyword or value. The published value in which it was found is not repeated. */
  @IsString()
  value: string;
}

export class MonitorEvent {
  @IsUUID()
  id: string;

  @IsUUID()
  monitor_id: string;

  /** `monitor.limit`: the monitor found more than the 1,000 names that it reports in a day; narrow the monitor. */
  @IsIn(MONITOR_EVENT_TYPES)
  type: MonitorEventType;

  @IsISO8601()
  at: string;

  /** A-labels. */
  @IsString()
  domain_name: string;

  @IsString()
  domain_unicode: string;

  /** The values that have changed; only for `domain.changed`. */
  @IsOptional()
  @NestedList(() => MonitorChange)
  changes?: MonitorChange[];

  /** The day on which the registration expires, `YYYY-MM-DD`; only for `domain.expiring`. */
  @OptionalText()
  expiry_date?: string;

  /** Days until `expiry_date`; only for `domain.expiring`. */
  @IsOptional()
  @IsInt()
  days_left?: number;

  /** Why the name was found; only for a found name. */
  @IsOptional()
  @Nested(() => MonitorMatch)
  match?: MonitorMatch;

  /** How you marked a found name. */
  @IsOptional()
  @IsIn(HIT_STATES)
  state?: HitState;
}

export class MonitorEventAnswer extends MonitorEvent {
  @IsBoolean()
  status: boolean;
}

export class MonitorEventsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => MonitorEvent)
  events: MonitorEvent[];

  @Nested(() => Paging)
  paging: Paging;
}
