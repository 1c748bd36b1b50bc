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
