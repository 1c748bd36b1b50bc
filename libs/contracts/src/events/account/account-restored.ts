import { IsISO8601 } from 'class-validator';
import { EventType } from '../event-type.js';

/** The owner restored a deleted account within its 90 days. */
@EventType({ type: 'account.account-restored', version: 1, kind: 'state' })
export class AccountRestored {
  @IsISO8601()
  restoredAt: string;
}
