import { IsISO8601 } from 'class-validator';

/** The first and the last day of the range (UTC). */
export class UsedDays {
  @IsISO8601({ strict: true })
  from: string;

  @IsISO8601({ strict: true })
  to: string;
}
