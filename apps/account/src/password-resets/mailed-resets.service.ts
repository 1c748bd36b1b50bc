import { Injectable } from '@nestjs/common';
import type { ResetPasswordRequest } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { AddedWaysService } from '../passkeys/added-ways.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { PasswordResetsService } from './password-resets.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'reset network', max: 30, windowMs: HOUR_MS };

@Injectable()
export class MailedResetsService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly resets: PasswordResetsService,
    private readonly addedWays: AddedWaysService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Sets a new password, ends all sessions, disconnects every provider and removes every passkey, because an intruder
   * may have added them. The person has to log in again. @throws LinkInvalid, InvalidRequest, TooManyAttempts,
   * PasswordQueueFull, NotFound.
   */
  async reset(
    { token, password }: ResetPasswordRequest,
    visitor: Visitor,
  ): Promise<{ status: 'password_set' }> {
    await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    // Checks the link before any expensive work, so that an invented link causes none (S121).
    await this.accounts.transaction((transaction) => this.resets.accountOf(transaction, token));
    this.passwords.check(password);
    const passwordHash = await this.passwords.hash(password, visitor.address);
    return this.accounts.transaction(async (transaction) => {
      // The account is locked before the link, in the same order as in a change of address, because that also deletes
      // the link.
      const accountId = await this.resets.accountOf(transaction, token);
      await this.accounts.lock(transaction, accountId);
      const link = await this.resets.take(transaction, token);
      await this.resets.setPassword(transaction, link, passwordHash);
      await this.addedWays.removeAll(transaction, accountId);
      await this.accounts.noteTakenBack(transaction, accountId);
      await this.audit.record(transaction, {
        by: visitor,
        accountId: link.accountId,
        action: 'password.reset',
        object: `person:${link.personId}`,
      });
      return { status: 'password_set' };
    });
  }
}
