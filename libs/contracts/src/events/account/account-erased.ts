import { IsISO8601 } from 'class-validator';
import { EventType } from '../event-type.js';

/** The 90 days after the deletion are over: personal data is erased, and the account cannot be restored. */
@EventType({ type: 'account.account-erased', version: 1, kind: 'state' })
export class AccountErased {
  @IsISO8601()
  erasedAt: string;
}
