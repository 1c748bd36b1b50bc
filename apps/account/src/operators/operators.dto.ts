import { IsString, Length, Matches } from 'class-validator';

export class FindAccountsRequest {
  @IsString()
  @Length(1, 320)
  text: string;
}

/** Who acts, as the command line says. */
export class OperatorRequest {
  @Matches(/^[\w.@-]{1,64}$/)
  operator: string;
}

export class SuspensionRequest extends OperatorRequest {
  /** The owner reads it: of a suspension, why; of its end, for the audit log. */
  @IsString()
  @Length(1, 500)
  reason: string;
}
