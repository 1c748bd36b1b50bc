import { IsBoolean, IsInt, IsOptional, IsString } from 'class-validator';

/** The members that the gateway adds to an answer of version 2. */
export class AnswerMeta {
  @IsString()
  request_id: string;

  @IsInt()
  credits_charged: number;

  /** The balance after this answer, if it is available to the gateway. */
  @IsOptional()
  @IsInt()
  credits_remaining?: number;

  /** Set if the same request was charged less than a minute before. */
  @IsOptional()
  @IsBoolean()
  repeat?: boolean;

  @IsString()
  price_version: string;
}
