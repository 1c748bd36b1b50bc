import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { IdentitiesService } from '../identities/identities.service.js';
import { PasskeysService } from './passkeys.service.js';

/** The ways to log in besides the password, which an intruder may have added. */
@Injectable()
export class AddedWaysService {
  constructor(
    private readonly identities: IdentitiesService,
    private readonly passkeys: PasskeysService,
  ) {}

  /** The owner is notified. */
  async removeAll(transaction: Transaction, accountId: string): Promise<void> {
    await this.identities.removeAll(transaction, accountId);
    await this.passkeys.removeAll(transaction, accountId);
  }
}
