import { Injectable } from '@nestjs/common';
import type { CurrentSessionAnswer, LogInRequest, ReauthenticateRequest } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { HOUR_MS, MINUTE_MS, SECOND_MS, networkOf } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { TooManyAttempts } from '../throttling/throttling.errors.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { PeopleService } from '../people/people.service.js';
import { SessionAnswer } from './session-headers.js';
import { currentSessionAnswer } from './current-session-answer.js';
import { WrongCredentials } from './sessions.errors.js';
import { SessionsService } from './sessions.service.js';
import type { ActiveSession } from './session-guard.js';

/** Whoever has a site (RFC 6177) has all of its networks. */
const SITE_PREFIX = 48;

/** Log-ins of one network; the right ones do not count. */
const NETWORK_LIMIT: AttemptLimit = {
  name: 'log-in network',
  max: 20,
  windowMs: 15 * MINUTE_MS,
};

/**
 * Wrong log-ins with one address and password from networks where nobody logged in with it before, all together: no
 * more than NIST SP 800-63B allows. A new password, by a link to the mailbox, begins a new count.
 */
const STRANGERS_LIMIT: AttemptLimit = {
  name: 'log-in strangers',
  max: 100,
  windowMs: HOUR_MS,
};

/** Right log-ins of one person by one password: each is a line of a log that is kept for ever. */
const PERSON_LIMIT: AttemptLimit = {
  name: 'log-in person',
  max: 300,
  windowMs: HOUR_MS,
};

/** Checks passwords: for a new session, and again for what needs it. */
@Injectable()
export class LogInService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly people: PeopleService,
    private readonly accounts: AccountsService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * The same work whether or not somebody has the address (S24). Guesses delay the network or site that they come
   * from, and a browser that logged in before its own alone: a guesser makes nobody else wait (S22).
   * @throws WrongCredentials, TooManyAttempts, PasswordQueueFull.
   */
  async logIn(
    { email, password }: LogInRequest,
    visitor: Visitor,
  ): Promise<SessionAnswer<CurrentSessionAnswer>> {
    const network = networkOf(visitor.address);
    const device = this.people.deviceOf(visitor.deviceToken, email);
    if (!device) await this.throttling.count(NETWORK_LIMIT, network, visitor);
    const person = await this.people.findByAddress(email, visitor.address);
    const address = email.toLowerCase();
    const isKnown = device !== undefined || person?.knowsNetwork === true;
    const place = isKnown ? network : networkOf(visitor.address, SITE_PREFIX);
    const subject = `${address}\n${device ?? place}`;
    await this.throttling.countGuess(subject, visitor);
    const strangers = `${address}\n${person?.passwordHash ?? ''}`;
    const waitMs = await this.throttling.waitMsOf(STRANGERS_LIMIT, strangers, visitor);
    if (waitMs > 0 && !isKnown) throw new TooManyAttempts(Math.ceil(waitMs / SECOND_MS));
    if (
      !(await this.passwords.matches(password, person?.passwordHash ?? null, network)) ||
      !person
    ) {
      await this.audit.recordRefusal({
        by: visitor,
        action: 'session.log-in-failed',
        object: `address:${this.people.addressHash(email).toString('hex')}`,
      });
      throw new WrongCredentials();
    }
    await this.throttling.forgetGuesses(subject);
    await this.throttling.giveBack(STRANGERS_LIMIT, strangers);
    if (!device) await this.throttling.giveBack(NETWORK_LIMIT, network);
    const { accountId, personId, passwordHash } = person;
    // A new password begins a new count: whoever knew the old one cannot keep the owner out (S22).
    await this.throttling.count(PERSON_LIMIT, `${personId}\n${passwordHash}`, visitor);
    const actor = { accountId, personId, visitor };
    const rehashed = await this.passwords.rehash(password, passwordHash, network);
    return this.accounts.transaction(async (transaction) => {
      const { state, restoreUntil, suspendedBecause } = await this.accounts.lock(
        transaction,
        accountId,
      );
      await this.checkUnchanged(transaction, actor, passwordHash);
      if (rehashed) {
        const changes = { passwordHash: rehashed };
        await this.people.update(transaction, accountId, personId, changes);
      }
      const token = await this.sessions.open(transaction, actor);
      const object = `person:${personId}`;
      await this.audit.record(transaction, { by: actor, action: 'session.logged-in', object });
      return new SessionAnswer(
        currentSessionAnswer({ ...actor, accountState: state, restoreUntil, suspendedBecause }),
        token,
        device ? visitor.deviceToken : this.people.newDeviceToken(email),
      );
    });
  }

  /** @throws WrongCredentials, TooManyAttempts, PasswordQueueFull. */
  async reauthenticate(
    session: ActiveSession,
    { password }: ReauthenticateRequest,
  ): Promise<SessionAnswer<CurrentSessionAnswer>> {
    await this.checkPassword(session, password);
    return this.accounts.transaction(async (transaction) => {
      const token = await this.sessions.renew(transaction, session);
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
   * That it is still the owner who sits there. @returns the hash it was checked against, for
   * `checkUnchanged`. @throws WrongCredentials, TooManyAttempts.
   */
  async checkPassword(session: ActiveSession, password: string): Promise<string | null> {
    const { accountId, personId } = session;
    const subject = `person\n${personId}`;
    await this.throttling.countGuess(subject, session);
    const { person } = await this.accounts.transaction((transaction) =>
      this.people.get(transaction, accountId, personId),
    );
    const network = networkOf(session.visitor.address);
    if (!(await this.passwords.matches(password, person.passwordHash, network))) {
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
   * That the password is still the one that was checked. Hashing takes its time, and a new password
   * set meanwhile ended all sessions: the old one may not begin another (S28). Call it under the
   * account's lock. @throws WrongCredentials.
   */
  async checkUnchanged(
    transaction: Transaction,
    { accountId, personId }: { accountId: string; personId: string },
    checkedHash: string | null,
  ): Promise<void> {
    const { person } = await this.people.get(transaction, accountId, personId);
    if (person.passwordHash !== checkedHash) throw new WrongCredentials();
  }
}
