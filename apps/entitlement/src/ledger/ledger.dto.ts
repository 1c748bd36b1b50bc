import { IsOptional, IsString, Length } from 'class-validator';

/** Most credits that one call may speak of. */
export const AMOUNT_MAX = 1_000_000_000_000;

export class ListLedgerQuery {
  /** From the page before. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  cursor?: string;
}
