import { IsIn, Matches } from 'class-validator';
import { EventType } from '../event-type.js';

/** The spendable credits fell to a threshold, a percentage of the credits granted last. */
@EventType({ type: 'entitlement.credits-low', version: 1, kind: 'delta' })
export class CreditsLow {
  @IsIn([20, 0])
  threshold: 20 | 0;

  @Matches(/^[0-9]{1,18}$/)
  remaining: string;
}
