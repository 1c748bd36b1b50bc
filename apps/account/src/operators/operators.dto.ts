import { IsIn, IsString, Length, Matches } from 'class-validator';
import { OPERATOR_ORDERS, type OperatorOrder } from '#libs/contracts';

export class FindAccountsRequest {
  @IsString()
  @Length(1, 320)
  text: string;
}

/** Who acts, as given on the command line. */
export class OperatorRequest {
  @Matches(/^[\w.@-]{1,64}$/)
  operator: string;
}

/** With a reason. */
export class SuspensionRequest extends OperatorRequest {
  /** The owner reads it: of a suspension, why; of its end, for the audit log. */
  @IsString()
  @Length(1, 500)
  reason: string;
}

export class OperatorOrderRequest extends SuspensionRequest {
  @IsIn(OPERATOR_ORDERS)
  order: OperatorOrder['order'];

  /** `<kind>:<id>`. */
  @Matches(/^[a-z]+:[\w.-]{1,200}$/)
  object: string;
}
