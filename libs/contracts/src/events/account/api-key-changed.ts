import { IsIn, IsUUID } from 'class-validator';
import { EventType } from '../event-type.js';

/** A key was created, changed, rotated or revoked: gateways drop the cached data of the key's account. */
@EventType({ type: 'account.api-key-changed', version: 1, kind: 'state' })
export class ApiKeyChanged {
  @IsUUID()
  keyId: string;

  @IsIn(['active', 'revoked'])
  state: 'active' | 'revoked';
}
