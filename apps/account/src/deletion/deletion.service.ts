import { Injectable } from '@nestjs/common';
import type {
  AccountDeletionAnswer,
  AccountRestoredAnswer,
  DeleteAccountRequest,
} from '#libs/contracts';
import { crashPoint } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { KeysService } from '../keys/keys.service.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { ReauthenticationService } from '../log-in/reauthentication.service.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { deletedMail, restoredMail } from './deletion-mail.js';
import { CONSEQUENCES } from './consequences.js';

/** Lets an owner delete an account, and restore it within 90 days. */
@Injectable()
export class DeletionService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: KeysService,
    private readonly sessions: SessionsService,
    private readonly reauthentication: ReauthenticationService,
    private readonly mail: OwnerMailService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Deletes the account, and ends its keys and sessions in the same transaction (S118). @throws
   * ReauthenticationRequired if the last log-in is not recent and no password was sent; WrongCredentials,
   * TooManyAttempts, PasswordQueueFull, AccountIsDeleted, NotFound.
   */
  async delete(
    owner: ActiveSession,
    { password }: DeleteAccountRequest,
  ): Promise<SessionAnswer<AccountDeletionAnswer>> {
    if (password !== undefined) await this.reauthentication.checkPassword(owner, password);
    else await this.reauthentication.checkRecent(owner, `account:${owner.accountId}`);
    const { accountId } = owner;
    return this.accounts.transaction(async (transaction) => {
      const until = await this.accounts.delete(transaction, accountId);
      await this.keys.revokeAll(transaction, accountId);
      await this.sessions.endAll(transaction, accountId);
      await this.mail.send(transaction, accountId, (firstName, dashboardUrl) =>
        deletedMail(firstName, dashboardUrl, until),
      );
      await this.audit.record(transaction, {
        by: owner,
        action: 'account.deleted',
        object: `account:${accountId}`,
      });
      crashPoint('deletion.before-commit');
      const body = { restorable_until: until.toISOString(), consequences: CONSEQUENCES };
      return new SessionAnswer(body, null);
    });
  }

  /** Restores a deleted account. Its keys stay revoked. @throws RestoreTooLate. */
  async restore(owner: ActiveSession): Promise<AccountRestoredAnswer> {
    const { accountId } = owner;
    return this.accounts.transaction(async (transaction) => {
      if (await this.accounts.restore(transaction, accountId)) {
        await this.mail.send(transaction, accountId, (firstName, dashboardUrl) =>
          restoredMail(firstName, dashboardUrl, owner.suspendedBecause !== null),
        );
        await this.audit.record(transaction, {
          by: owner,
          action: 'account.restored',
          object: `account:${accountId}`,
        });
      }
      crashPoint('restore.before-commit');
      return { account_state: 'active' };
    });
  }
}
