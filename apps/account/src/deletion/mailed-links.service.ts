import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AddressChangeLinksService } from '../address-changes/address-change-links.service.js';
import { PasswordResetsService } from '../password-resets/password-resets.service.js';

/** The links that may still lie in an owner's mailbox. */
@Injectable()
export class MailedLinksService {
  constructor(
    private readonly passwordResets: PasswordResetsService,
    private readonly addressChanges: AddressChangeLinksService,
  ) {}

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.passwordResets.forget(transaction, accountId);
    await this.addressChanges.forget(transaction, accountId);
  }
}
