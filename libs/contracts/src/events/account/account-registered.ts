import { IsString, Length } from 'class-validator';
import { EventType } from '../event-type.js';

/** The account's first address was confirmed. Published once per account. */
@EventType({ type: 'account.account-registered', version: 1, kind: 'delta' })
export class AccountRegistered {
  /** The peppered HMAC of the normalised address, in hex: trial credits are granted only once per claim. */
  @IsString()
  @Length(64, 64)
  trialClaim: string;
}
