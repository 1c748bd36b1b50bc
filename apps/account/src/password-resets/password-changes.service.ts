import { Injectable } from '@nestjs/common';
import type { ChangePasswordRequest, ResetPasswordRequest } from '#libs/contracts';
import { HOUR_MS, networkOf } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { LogInService } from '../sessions/log-in.service.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { PasswordResetsService } from './password-resets.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'reset network', max: 30, windowMs: HOUR_MS };

/** Sets new passwords: by a mailed link, or by someone who knows the old one. */
@Injectable()
export class PasswordChangesService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly resets: PasswordResetsService,
    private readonly logIns: LogInService,
    private readonly audit: AuditService,
  ) {}

  /** Ends all sessions; the person has to log in again. @throws LinkInvalid, InvalidRequest, TooManyAttempts. */
  async reset(
    { token, password }: ResetPasswordRequest,
    visitor: Visitor,
  ): Promise<{ status: 'password_set' }> {
    const network = networkOf(visitor.address);
    await this.throttling.count(NETWORK_LIMIT, network, visitor);
    // Before anything that costs: a made-up link buys nothing (S121).
    await this.accounts.transaction((transaction) => this.resets.accountOf(transaction, token));
    this.passwords.check(password);
    const passwordHash = await this.passwords.hash(password, network);
    return this.accounts.transaction(async (transaction) => {
      // The account first: a change of the address deletes this link, too.
      const accountId = await this.resets.accountOf(transaction, token);
      await this.accounts.lock(transaction, accountId);
      const link = await this.resets.take(transaction, token);
      await this.resets.setPassword(transaction, link, passwordHash);
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

  /** Ends all sessions and begins a new one. @throws WrongCredentials, InvalidRequest. */
  async change(
    session: ActiveSession,
    { current_password, password }: ChangePasswordRequest,
  ): Promise<SessionAnswer<{ status: 'password_set' }>> {
    this.passwords.check(password);
    const checkedHash = await this.logIns.checkPassword(session, current_password);
    const network = networkOf(session.visitor.address);
    const passwordHash = await this.passwords.hash(password, network);
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, session.accountId);
      await this.logIns.checkUnchanged(transaction, session, checkedHash);
      const token = await this.resets.changePassword(transaction, session, passwordHash);
      await this.audit.record(transaction, {
        by: session,
        action: 'password.changed',
        object: `person:${session.personId}`,
      });
      return new SessionAnswer({ status: 'password_set' }, token);
    });
  }
}
