import { Injectable } from '@nestjs/common';
import type { ChangePasswordRequest } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { ReauthenticationService } from '../log-in/reauthentication.service.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { PasswordResetsService } from './password-resets.service.js';

@Injectable()
export class PasswordChangesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly passwords: PasswordsService,
    private readonly resets: PasswordResetsService,
    private readonly reauthentication: ReauthenticationService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Changes the password, ends all sessions and starts a new session. @throws WrongCredentials, InvalidRequest,
   * TooManyAttempts, PasswordQueueFull, AccountIsDeleted, NotFound.
   */
  async change(
    session: ActiveSession,
    { current_password, password }: ChangePasswordRequest,
  ): Promise<SessionAnswer<{ status: 'password_set' }>> {
    const checkedHash = await this.reauthentication.checkPassword(session, current_password);
    this.passwords.check(password);
    const passwordHash = await this.passwords.hash(password, session.visitor.address);
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, session.accountId);
      await this.reauthentication.checkUnchanged(transaction, session, checkedHash);
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
