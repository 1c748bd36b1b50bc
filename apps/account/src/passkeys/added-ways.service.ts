import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { IdentitiesService } from '../identities/identities.service.js';
import { PasskeysService } from './passkeys.service.js';

/** Removes passkeys and providers when the owner recovers the account, because an intruder may have added them. */
@Injectable()
export class AddedWaysService {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly passkeys: PasskeysService,
  ) {}

  /** Removes all passkeys and providers, and notifies the owner. */
  async removeAll(transaction: Transaction, accountId: string): Promise<void> {
    await this.identities.removeAll(transaction, accountId);
    await this.passkeys.removeAll(transaction, accountId);
  }
}
