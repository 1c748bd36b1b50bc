import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNumber,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateIf,
} from 'class-validator';
import { IsCount, Nested, NestedList, NullableTime } from '../../members.js';
import { MayBeAbsent } from '../account/text-rules.js';
import { NAME_RECORD_TYPES, type NameRecordType } from '../dns/dns-answer.js';
import { IsNullable } from '../../nullable.js';
import { Paging } from '../paging/paging-answer.js';

export const JOB_KINDS = ['whois', 'dns'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export const JOB_STATES = [
  'validating',
  'queued',
  'running',
  'finalizing',
  'completed',
  'completed_with_errors',
  'canceled',
  'failed',
  'expired',
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const JOB_FORMATS = ['csv.gz', 'json.gz'] as const;
export type JobFormat = (typeof JOB_FORMATS)[number];

export const JOB_NAMES_MAX = 1_000;
const NAME_LENGTH_MAX = 2_048;
const NAMES_RULE = {
  message: `must be a list of 1 to ${JOB_NAMES_MAX} names, each of up to ${NAME_LENGTH_MAX} characters; or give "upload_id" instead`,
};
const AGE_SECONDS_MAX = 86_400;
/** The hours after which a job ends: the maximum, which is also the default. */
export const JOB_HOURS_MAX = 7 * 24;

/** A line without a domain name. */
export class InvalidLine {
  /** From 1. */
  @IsInt()
  @Min(1)
  line: number;

  @IsString()
  message: string;
}

export class JobCounts {
  /** Number of names given, including invalid and repeated ones. */
  @IsCount()
  lines: number;

  /** Number of unique names, which are looked up. */
  @IsCount()
  unique: number;

  @IsCount()
  invalid: number;

  @IsCount()
  duplicates: number;

  /** Number of unique names that have no known source of registration data; they are free. */
  @IsCount()
  unsupported: number;

  /** Number of names whose answer is charged. */
  @IsCount()
  delivered: number;

  /** Number of names that are free, because there is no answer, or the answer costs nothing. */
  @IsCount()
  failed: number;

  /** Number of names whose answer has arrived but is not recorded yet; recorded names count as delivered or failed. */
  @IsCount()
  arrived: number;

  /** Number of names that are still to be looked up; 0 once the job has ended. */
  @IsCount()
  waiting: number;
}

export class JobCredits {
  /** The price if every name that has a known source is answered. */
  @IsCount()
  price: number;

  /** Credits reserved for the names that are not answered yet. */
  @IsCount()
  held: number;

  @IsCount()
  charged: number;

  /** Credits that were reserved and given back. */
  @IsCount()
  released: number;

  /** The credits that the account lacks; only in the answer to a dry run. */
  @IsOptional()
  @IsCount()
  shortfall?: number;
}

/** A file of results. */
export class JobArtifact {
  @IsString()
  name: string;

  @IsCount()
  bytes: number;

  @IsCount()
  rows: number;

  @IsString()
  sha256: string;
}

/** Names of one top-level domain. */
export class JobTld {
  @IsString()
  tld: string;

  @IsCount()
  names: number;

  /** Seconds that the names take at the registry's known rate, if nothing else queries the registry. */
  @IsCount()
  eta_seconds: number;
}

export class JobAnswer {
  @IsBoolean()
  status: boolean;

  /** Null in the answer to a dry run, because there is no job. */
  @IsNullable()
  @IsUUID()
  id: string | null;

  @IsIn(JOB_KINDS)
  kind: JobKind;

  @IsIn(JOB_STATES)
  state: JobState;

  @IsIn(JOB_FORMATS)
  format: JobFormat;

  @Nested(() => JobCounts)
  counts: JobCounts;

  @Nested(() => JobCredits)
  credits: JobCredits;

  /** The share of names with an answer or a failure, from 0 to 1. */
  @IsNumber()
  @Min(0)
  @Max(1)
  progress: number;

  /** Estimated seconds until the job is done; null once it is done or cancelled. */
  @IsNullable()
  @IsCount()
  eta_seconds: number | null;

  /** The names by top-level domain, largest number first, at most 100; only in the answer to a dry run. */
  @IsOptional()
  @NestedList(() => JobTld)
  tlds?: JobTld[];

  @IsISO8601()
  created_at: string;

  /** RFC 3339. Names without an answer by this time get none, and are free. */
  @IsISO8601()
  deadline_at: string;

  @NullableTime()
  finished_at: string | null;

  /** When the job's results are deleted; null until the job has ended. */
  @NullableTime()
  expires_at: string | null;

  /** The first 100 lines without a domain name; the result file contains all of them. */
  @NestedList(() => InvalidLine)
  invalid_lines: InvalidLine[];

  @NestedList(() => JobArtifact)
  artifacts: JobArtifact[];
}

export class JobsAnswer {
  @IsBoolean()
  status: boolean;

  /** Newest first. */
  @NestedList(() => JobAnswer)
  jobs: JobAnswer[];

  @Nested(() => Paging)
  paging: Paging;
}

/** Names, and how to process them. */
export class JobRequest {
  @ValidateIf(({ upload_id: upload, domainNames: names }: JobRequest) => !upload || !!names)
  @IsArray(NAMES_RULE)
  @ArrayMinSize(1, NAMES_RULE)
  @ArrayMaxSize(JOB_NAMES_MAX, NAMES_RULE)
  @IsString({ ...NAMES_RULE, each: true })
  @MinLength(1, { ...NAMES_RULE, each: true })
  @MaxLength(NAME_LENGTH_MAX, { ...NAMES_RULE, each: true })
  domainNames?: string[];

  /** The id of an upload that is ready; replaces `domainNames`. */
  @MayBeAbsent()
  @IsUUID()
  upload_id?: string;

  /** The format of the result file; `csv.gz` by default. */
  @MayBeAbsent()
  @IsIn(JOB_FORMATS)
  format?: JobFormat;

  /** Maximum age of an answer in seconds; 0 by default. */
  @MayBeAbsent()
  @IsInt()
  @Min(0)
  @Max(AGE_SECONDS_MAX)
  max_age?: number;

  /** Hours after which the job ends with the answers so far; 168 by default. */
  @MayBeAbsent()
  @IsInt()
  @Min(1)
  @Max(JOB_HOURS_MAX)
  deadline_hours?: number;
}

export class DnsJobRequest extends JobRequest {
  /**
   * Record types; all by default. With `max_age`, our database answers names only if the types omit `CAA` and `SPF`,
   * which it does not store.
   */
  @MayBeAbsent()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(NAME_RECORD_TYPES.length)
  @IsIn(NAME_RECORD_TYPES, { each: true })
  types?: NameRecordType[];
}
