import { Injectable } from '@nestjs/common';
import type { CurrentSessionAnswer, ReauthenticateRequest } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { HOUR_MS, ReauthenticationRequired } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { PeopleService } from '../people/people.service.js';
import { currentSessionAnswer } from '../sessions/current-session-answer.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { WrongCredentials } from '../people/people.errors.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';

/**
 * Limits how often one person enters the correct password again, because each time adds an entry to a log that is kept
 * permanently.
 */
const PERSON_LIMIT: AttemptLimit = {
  name: 're-authentication of person',
  max: 60,
  windowMs: HOUR_MS,
};

/** Verifies a logged-in owner again, for actions that require a recent proof (S35). */
@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly people: PeopleService,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Verifies the password and marks the session as recently verified. @throws WrongCredentials, TooManyAttempts,
   * PasswordQueueFull, NotLoggedIn.
   */
  async reauthenticate(
    session: ActiveSession,
    { password }: ReauthenticateRequest,
  ): Promise<SessionAnswer<CurrentSessionAnswer>> {
    const passwordHash = await this.checkPassword(session, password);
    // A new password starts a new count, so a person who knew the old password cannot lock the owner out (S22).
    await this.throttling.count(PERSON_LIMIT, `${session.personId}\n${passwordHash}`, session);
    return this.accounts.transaction(async (transaction) => {
      const token = await this.sessions.renew(transaction, session, { isProven: true });
      const object = `session:${session.sessionId}`;
      await this.audit.record(transaction, {
        by: session,
        action: 'session.reauthenticated',
        object,
      });
      return new SessionAnswer(currentSessionAnswer(session), token);
    });
  }

  /**
   * Checks the owner's password again.
   * @returns the hash that was compared, for `checkUnchanged`.
   * @throws WrongCredentials, TooManyAttempts, PasswordQueueFull.
   */
  async checkPassword(session: ActiveSession, password: string): Promise<string | null> {
    const { accountId, personId } = session;
    const subject = `person\n${personId}`;
    await this.throttling.countGuess(subject, session);
    const { person } = await this.accounts.transaction((transaction) =>
      this.people.get(transaction, accountId, personId),
    );
    if (!(await this.passwords.matches(password, person.passwordHash, session.visitor.address))) {
      await this.audit.recordRefusal({
        by: session,
        action: 'session.reauthentication-failed',
        object: `person:${personId}`,
      });
      throw new WrongCredentials('The password is wrong.');
    }
    await this.throttling.forgetGuesses(subject);
    return person.passwordHash;
  }

  /**
   * Checks that the session was verified recently, for actions that also accept a password with the request. @param
   * object the object of the rejection in the audit log.
   * @throws ReauthenticationRequired.
   */
  async checkRecent(session: ActiveSession, object: string): Promise<void> {
    if (session.isRecent) return;
    await this.throttling.recordRefusal(
      { by: session, action: 'session.refused', object },
      session.accountId,
    );
    throw new ReauthenticationRequired();
  }

  /**
   * Checks that the password has not changed since it was verified. A password that was set while hashing was running
   * has ended all sessions, and the old password must not start another session (S28). Call this under the account's
   * lock.
   * @throws WrongCredentials.
   */
  async checkUnchanged(
    transaction: Transaction,
    person: Pick<ActiveSession, 'accountId' | 'personId'>,
    checkedHash: string | null,
  ): Promise<void> {
    await this.people.checkPasswordHash(transaction, person, checkedHash);
  }
}
