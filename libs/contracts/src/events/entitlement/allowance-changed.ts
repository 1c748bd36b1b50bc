import { Matches } from 'class-validator';
import { EventType } from '../event-type.js';

/** An account's limits or rights have changed; services that need them must ask entitlement again. */
@EventType({ type: 'entitlement.allowance-changed', version: 1, kind: 'state' })
export class AllowanceChanged {
  /** A decimal string that rises with each change to the account. */
  @Matches(/^[0-9]{1,19}$/)
  version: string;
}
