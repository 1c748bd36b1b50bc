import { Injectable } from '@nestjs/common';
import type { CheckLinkAnswer, CheckLinkRequest, LinkKind } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { AccountsService } from '../accounts/accounts.service.js';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import { PasswordResetsService } from '../password-resets/password-resets.service.js';
import { SignUpsService } from '../registration/sign-ups.service.js';

/** Tells whether the links in our mails still work. */
@Injectable()
export class MailedLinksService {
  private readonly finders: Readonly<
    Record<LinkKind, (transaction: Transaction, token: string) => Promise<unknown>>
  >;

  constructor(
    private readonly accounts: AccountsService,
    signUps: SignUpsService,
    resets: PasswordResetsService,
    addressChanges: AddressChangeLinksService,
  ) {
    this.finders = {
      sign_up: (transaction, token) => signUps.find(transaction, token),
      password_reset: (transaction, token) => resets.accountOf(transaction, token),
      address_change: (transaction, token) => addressChanges.accountOf(transaction, token),
    };
  }

  /** Changes nothing, because mail scanners open links, too (S31). @throws LinkInvalid. */
  async check({ kind, token }: CheckLinkRequest): Promise<CheckLinkAnswer> {
    await this.accounts.transaction((transaction) => this.finders[kind](transaction, token));
    return { status: 'open' };
  }
}
