import { IsISO8601 } from 'class-validator';

/** Days (UTC), both included. */
export class UsedDays {
  @IsISO8601({ strict: true })
  from: string;

  @IsISO8601({ strict: true })
  to: string;
}
