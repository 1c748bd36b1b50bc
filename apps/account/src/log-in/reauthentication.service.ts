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
 * Limits how often one person's password is checked again. Each check takes 20 ms of a processor (S121). Afterwards,
 * either the strength of a new password is estimated on the main thread, or an entry is added to a log that is kept
 * permanently.
 */
const PERSON_LIMIT: AttemptLimit = {
  name: 'password of person',
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
    await this.checkPassword(session, password);
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
    const { person, takenBackAt } = await this.accounts.transaction(async (transaction) => ({
      ...(await this.people.get(transaction, accountId, personId)),
      takenBackAt: (await this.accounts.get(transaction, accountId)).takenBackAt?.getTime(),
    }));
    // A stranger who knew the password cannot lock out an owner who has recovered the account (S22). A stranger who
    // does not know it makes too few guesses to reach this limit.
    const ofPerson = `${personId}\n${takenBackAt ?? ''}`;
    await this.throttling.count(PERSON_LIMIT, ofPerson, session);
    const { address } = session.visitor;
    const asked = this.passwords.matches(password, person.passwordHash, address, personId);
    const isRight = await asked.catch(async (error: unknown) => {
      // The password was not checked, for example because the queue was full.
      await this.throttling.giveBack(PERSON_LIMIT, ofPerson);
      await this.throttling.giveBackGuess(subject);
      throw error;
    });
    if (!isRight) {
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
