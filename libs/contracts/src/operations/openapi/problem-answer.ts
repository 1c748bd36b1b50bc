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
