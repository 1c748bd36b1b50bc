import { IsIn, Matches } from 'class-validator';
import { EventType } from '../event-type.js';

/** The credits that are not used yet, including reserved ones, fell to a percentage of the last grant. */
@EventType({ type: 'entitlement.credits-low', version: 1, kind: 'delta' })
export class CreditsLow {
  @IsIn([20, 0])
  threshold: 20 | 0;

  @Matches(/^[0-9]{1,18}$/)
  remaining: string;
}
