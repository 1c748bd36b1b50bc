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

  /** Set for a repeat, which is free: of a `GET` within 60 seconds, or with the same `Idempotency-Key`. */
  @IsOptional()
  @IsBoolean()
  repeat?: boolean;

  @IsString()
  price_version: string;
}
