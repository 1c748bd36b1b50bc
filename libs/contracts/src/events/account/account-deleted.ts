import { IsISO8601 } from 'class-validator';
import { EventType } from '../event-type.js';

/** The owner deleted the account, which can be restored until `restoreUntil`. */
@EventType({ type: 'account.account-deleted', version: 1, kind: 'state' })
export class AccountDeleted {
  @IsISO8601()
  deletedAt: string;

  @IsISO8601()
  restoreUntil: string;
}
