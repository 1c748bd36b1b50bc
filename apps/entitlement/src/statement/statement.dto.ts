import { IsOptional, IsString, Length } from 'class-validator';

export class ListLedgerQuery {
  /** From the page before. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  cursor?: string;
}
