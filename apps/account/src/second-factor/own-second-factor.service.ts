import { Injectable } from '@nestjs/common';
import type {
  RecoveryCodesAnswer,
  SecondFactorAnswer,
  SecondFactorRemovedAnswer,
  SecondFactorSecretAnswer,
} from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { WrongCode } from './second-factor.errors.js';
import { SecondFactorsService } from './second-factors.service.js';
import { base32, otpauthUri } from './totp.js';

const ISSUER = 'Domain Data Service';

/**
 * Lets owners change the second step of their log-ins. Each change that needs a code gives the session a new token
 * (S26).
 */
@Injectable()
export class OwnSecondFactorService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly factors: SecondFactorsService,
    private readonly people: PeopleService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  async describe(owner: ActiveSession): Promise<SecondFactorAnswer> {
    return this.accounts.transaction((transaction) => this.factors.describe(transaction, owner));
  }

  /**
   * Creates the secret for the app. Log-ins do not change until the first code is accepted. @throws SecondFactorOn,
   * AccountIsDeleted.
   */
  async begin(owner: ActiveSession): Promise<SecondFactorSecretAnswer> {
    return this.change(owner, { action: 'second-factor.begun' }, async (transaction) => {
      const secret = await this.factors.begin(transaction, owner);
      const { accountId, personId } = owner;
      const { details } = await this.people.get(transaction, accountId, personId);
      return { secret: base32(secret), uri: otpauthUri(secret, ISSUER, details.address) };
    });
  }

  /**
   * Turns the second factor on with a first code. The answer contains the recovery codes, which are
   * never shown again.
   * @throws SecondFactorOff, SecondFactorOn, WrongCode, TooManyAttempts, AccountIsDeleted,
   *   NotLoggedIn.
   */
  async confirm(owner: ActiveSession, code: string): Promise<SessionAnswer<RecoveryCodesAnswer>> {
    return this.withCode(owner, { action: 'second-factor.set-up' }, async (transaction) => ({
      recovery_codes: await this.factors.confirm(transaction, owner, code),
    }));
  }

  /**
   * Replaces the recovery codes and returns the new ones, which are never shown again. The password
   * alone is not sufficient, because a recovery code can remove the app.
   * @throws SecondFactorOff, WrongCode, TooManyAttempts, AccountIsDeleted, NotLoggedIn.
   */
  async newCodes(owner: ActiveSession, code: string): Promise<SessionAnswer<RecoveryCodesAnswer>> {
    return this.withCode(owner, { action: 'second-factor.codes-made' }, async (transaction) => {
      await this.factors.take(transaction, owner, code);
      return { recovery_codes: await this.factors.newCodes(transaction, owner) };
    });
  }

  /**
   * Removes the second factor. The password alone is not sufficient, because the second factor exists to protect
   * against a stolen password. @throws WrongCode, TooManyAttempts, AccountIsDeleted, NotLoggedIn.
   */
  async remove(
    owner: ActiveSession,
    code: string,
  ): Promise<SessionAnswer<SecondFactorRemovedAnswer>> {
    return this.withCode(owner, { action: 'second-factor.removed' }, async (transaction) => {
      await this.factors.take(transaction, owner, code);
      await this.factors.remove(transaction, owner.accountId, 'off');
      return { removed: true };
    });
  }

  private async withCode<T>(
    owner: ActiveSession,
    entry: { action: string },
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<SessionAnswer<T>> {
    await this.factors.countGuess(owner, null);
    try {
      const answer = await this.change(owner, entry, async (transaction) => {
        const body = await work(transaction);
        return new SessionAnswer(body, await this.sessions.renew(transaction, owner));
      });
      await this.factors.forgetGuesses(owner, null);
      return answer;
    } catch (error) {
      if (error instanceof WrongCode) {
        const object = `person:${owner.personId}`;
        await this.audit.recordRefusal({ by: owner, action: 'second-factor.refused', object });
      }
      throw error;
    }
  }

  private async change<T>(
    owner: ActiveSession,
    entry: { action: string },
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T> {
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, owner.accountId);
      const answer = await work(transaction);
      const object = `person:${owner.personId}`;
      await this.audit.record(transaction, { by: owner, ...entry, object });
      return answer;
    });
  }
}
