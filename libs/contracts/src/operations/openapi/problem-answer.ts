import { IsArray, IsBoolean, IsInt, IsOptional, IsString } from 'class-validator';
import { NestedList, OptionalText } from '../../members.js';

/** A fault in one named part of the request. */
export class ProblemField {
  @IsString()
  field: string;

  @IsString()
  message: string;
}

/** Every rejection (RFC 9457), with the members that clients of the older format expect. */
export class ProblemAnswer {
  /** The URL of a page that explains the code. */
  @IsString()
  type: string;

  @IsString()
  title: string;

  @IsInt()
  status: number;

  @IsString()
  detail: string;

  /** A stable code, for use in programs. */
  @IsString()
  code: string;

  /** Whether the same request may succeed later. */
  @IsBoolean()
  retryable: boolean;

  @IsInt()
  credits_charged: number;

  /** Only for `insufficient_credits`: the page where credits are sold, if they are. */
  @OptionalText()
  credits_url?: string;

  /** Only for `price_above_max`, and for `insufficient_credits` unless it concerns a job: what the request may cost. */
  @IsOptional()
  @IsInt()
  credits_required?: number;

  /** Only for `insufficient_credits` of a job: its price. */
  @IsOptional()
  @IsInt()
  price?: number;

  /** Only for `insufficient_credits` of a job: the credits that the account lacks. */
  @IsOptional()
  @IsInt()
  shortfall?: number;

  /** Only for `key_cap_reached`. */
  @IsOptional()
  @IsInt()
  daily_credit_cap?: number;

  /** Only for `scope_denied`: the scope that the key lacks. */
  @OptionalText()
  scope?: string;

  /** Only for `rate_limited`: the rate class. */
  @OptionalText()
  class?: string;

  /** Only for errors that name a limit, such as `rate_limited` and `monitor_limit_reached`. */
  @IsOptional()
  @IsInt()
  limit?: number;

  /** Only for `rate_limited`: the period of the limit in seconds. */
  @IsOptional()
  @IsInt()
  window_seconds?: number;

  /** Only for `monitor_limit_reached`: the kind of monitor. */
  @OptionalText()
  kind?: string;

  /** Only for `monitor_limit_reached`: the smallest plan or package with a higher limit, if there is one. */
  @OptionalText()
  plan?: string;

  /** Only for `dataset_not_included`: the part of a plan that the file requires. */
  @OptionalText()
  plan_dataset?: string;

  /** Only for `dataset_not_included`: the plans that include the file. */
  @OptionalText({ each: true })
  plans?: string[];

  /** Only for some errors, such as `upload_refused`: a word for the reason. */
  @OptionalText()
  reason?: string;

  /** Only for `account_deleted`: until when the account can be restored, RFC 3339. */
  @OptionalText()
  restorable_until?: string;

  /** Only for `subscription_exists` on the dashboard. */
  @OptionalText()
  subscription_id?: string;

  @IsOptional()
  @IsArray()
  @NestedList(() => ProblemField)
  errors?: ProblemField[];

  @IsString()
  error: string;

  @IsString()
  message: string;

  @IsString()
  request_id: string;

  /** RFC 3339. */
  @IsString()
  timestamp: string;

  /** Path of the request, without its query. */
  @IsString()
  path: string;
}
