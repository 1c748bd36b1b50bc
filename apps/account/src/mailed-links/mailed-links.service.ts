import { Injectable } from '@nestjs/common';
import type { CheckLinkAnswer, CheckLinkRequest } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { AccountsService } from '../accounts/accounts.service.js';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import { PasswordResetsService } from '../password-resets/password-resets.service.js';
import { SignUpsService } from '../registration/sign-ups.service.js';

@Injectable()
export class MailedLinksService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly signUps: SignUpsService,
    private readonly resets: PasswordResetsService,
    private readonly addressChanges: AddressChangeLinksService,
  ) {}

  /** Checks a link without changing anything, because mail scanners also open links (S31). @throws LinkInvalid. */
  async check(request: CheckLinkRequest): Promise<CheckLinkAnswer> {
    await this.accounts.transaction(async (transaction) => this.find(transaction, request));
    return { status: 'open' };
  }

  private async find(transaction: Transaction, { kind, token }: CheckLinkRequest): Promise<void> {
    if (kind === 'sign_up') await this.signUps.find(transaction, token);
    else if (kind === 'password_reset') await this.resets.accountOf(transaction, token);
    else await this.addressChanges.accountOf(transaction, token);
  }
}
