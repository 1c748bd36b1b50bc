import { IsBoolean, IsISO8601 } from 'class-validator';
import { EventType } from '../event-type.js';

/**
 * An operator suspended the account, or ended a suspension. It is a separate aggregate, because deletion and
 * restoration can happen during a suspension.
 */
@EventType({ type: 'account.account-suspension-changed', version: 1, kind: 'state' })
export class AccountSuspensionChanged {
  @IsBoolean()
  isSuspended: boolean;

  @IsISO8601()
  changedAt: string;
}
