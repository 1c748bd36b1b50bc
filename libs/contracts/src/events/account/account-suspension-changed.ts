import { IsBoolean, IsISO8601 } from 'class-validator';
import { EventType } from '../event-type.js';

/**
 * An operator suspended the account, or ended a suspension. The suspension is a separate aggregate, because an account
 * can be deleted and restored while it is suspended.
 */
@EventType({ type: 'account.account-suspension-changed', version: 1, kind: 'state' })
export class AccountSuspensionChanged {
  @IsBoolean()
  isSuspended: boolean;

  @IsISO8601()
  changedAt: string;
}
