import {
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { LISTED_STANDINGS, OPERATOR_ORDERS, type OperatorOrder } from '#libs/contracts';

export class FindAccountsRequest {
  @IsString()
  @Length(1, 320)
  text: string;
}

export class OperatorRequest {
  @Matches(/^[\w.@-]{1,64}$/)
  operator: string;
}

export class SuspensionRequest extends OperatorRequest {
  /** The owner can read the reason for a suspension; all other reasons are only in the audit log. */
  @IsString()
  @Length(1, 500)
  reason: string;
}

export class OperatorOrderRequest extends SuspensionRequest {
  @IsIn(OPERATOR_ORDERS)
  order: OperatorOrder['order'];

  /** The object of the action, as `<kind>:<id>`. */
  @Matches(/^[a-z]+:[\w.-]{1,200}$/)
  object: string;
}

const LISTED_MAX = 500;

export class ListAccountsRequest {
  @IsOptional()
  @IsIn(LISTED_STANDINGS)
  standing?: (typeof LISTED_STANDINGS)[number];

  @IsOptional()
  @IsUUID()
  before?: string;

  @IsInt()
  @Min(1)
  @Max(LISTED_MAX)
  limit: number;
}

export class ListAuditRequest {
  @IsOptional()
  @Matches(/^[0-9]{1,18}$/)
  before?: string;

  @IsInt()
  @Min(1)
  @Max(LISTED_MAX)
  limit: number;
}

export class RevokeKeyRequest extends OperatorRequest {
  @IsUUID()
  keyId: string;
}
