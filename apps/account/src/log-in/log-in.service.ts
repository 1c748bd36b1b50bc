import { Injectable } from '@nestjs/common';
import type { CurrentSessionAnswer, LogInAnswer, LogInRequest } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, SECOND_MS, networkOf, siteOf } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { TooManyAttempts } from '../throttling/throttling.errors.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { PeopleService } from '../people/people.service.js';
import { SessionAnswer, type StepAnswer } from '../sessions/session-headers.js';
import { EntryService } from './entry.service.js';
import { WrongCredentials } from '../people/people.errors.js';

/**
 * Limits log-ins from one network by browsers that have never logged in to the address. Successful log-ins do not
 * count.
 */
const NETWORK_LIMIT: AttemptLimit = {
  name: 'log-in network',
  max: 20,
  windowMs: 15 * MINUTE_MS,
};

/**
 * Limits failed log-ins per address, within what NIST SP 800-63B allows. Above the limit, only browsers and networks
 * from which somebody has logged in to the address before may try. The recovery of the account starts a new count.
 */
const STRANGERS_LIMIT: AttemptLimit = {
  name: 'log-in strangers',
  max: 100,
  windowMs: HOUR_MS,
};

/**
 * Limits a person's successful log-ins: each takes 20 ms of a processor, and adds an entry to a log that is kept
 * permanently.
 */
const PERSON_LIMIT: AttemptLimit = {
  name: 'log-in person',
  max: 300,
  windowMs: HOUR_MS,
};

@Injectable()
export class LogInService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly people: PeopleService,
    private readonly accounts: AccountsService,
    private readonly entry: EntryService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Logs in with a password. The work is the same whether or not the address exists (S24). Wrong
   * guesses delay further attempts from the same network or site. A browser that logged in before
   * is delayed only by its own guesses, so that nobody else can delay the owner (S22).
   * @throws WrongCredentials, TooManyAttempts, PasswordQueueFull, IdentityTaken.
   */
  async logIn(
    { email, password }: LogInRequest,
    visitor: Visitor,
  ): Promise<SessionAnswer<CurrentSessionAnswer> | StepAnswer<LogInAnswer>> {
    const device = this.people.deviceOf(visitor.deviceToken, email);
    if (!device) await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    const person = await this.people.findByAddress(email, visitor.address);
    const address = email.toLowerCase();
    const isKnown = device !== undefined || person?.knowsNetwork === true;
    const place = isKnown ? networkOf(visitor.address) : siteOf(visitor.address);
    const subject = `${address}\n${device ?? place}`;
    await this.throttling.countGuess(subject, visitor);
    const since = person?.takenBackAt?.getTime() ?? '';
    const strangers = `${address}\n${since}`;
    const waitMs = await this.throttling.waitMsOf(STRANGERS_LIMIT, strangers, visitor);
    if (waitMs > 0 && !isKnown) throw new TooManyAttempts(Math.ceil(waitMs / SECOND_MS));
    // Attempts are counted before the password is hashed, so that the owner of an account cannot keep everybody's queue
    // full (S121). An owner who recovers the account with an e-mailed link starts a new count, so a person who knew the
    // old password cannot lock the owner out (S22). A change of password starts no new count: otherwise, repeated
    // changes would remove the limit.
    const whose = person?.personId ?? address;
    const ofPerson = `${whose}\n${since}`;
    await this.throttling.count(PERSON_LIMIT, ofPerson, visitor);
    let isRight: boolean | undefined;
    try {
      const stored = person?.passwordHash ?? null;
      isRight = await this.passwords.matches(password, stored, visitor.address, whose);
    } finally {
      if (!isRight) await this.throttling.giveBack(PERSON_LIMIT, ofPerson);
      // A password that was not checked, for example because the queue was full, must not delay the owner.
      if (isRight === undefined) {
        await this.throttling.giveBackGuess(subject);
        await this.throttling.giveBack(STRANGERS_LIMIT, strangers);
      }
    }
    if (!isRight || !person) {
      await this.audit.recordRefusal({
        by: visitor,
        action: 'session.log-in-failed',
        object: `address:${this.people.addressHash(email).toString('hex')}`,
      });
      throw new WrongCredentials();
    }
    await this.throttling.forgetGuesses(subject);
    await this.throttling.giveBack(STRANGERS_LIMIT, strangers);
    if (!device) await this.throttling.giveBackNetwork(NETWORK_LIMIT, visitor);
    const { accountId, personId, passwordHash } = person;
    const actor = { accountId, personId, visitor };
    const rehashed = await this.passwords.rehash(password, passwordHash, visitor.address);
    return this.accounts.transaction(async (transaction) => {
      const account = await this.accounts.lock(transaction, accountId);
      await this.people.checkPasswordHash(transaction, actor, passwordHash);
      if (rehashed) {
        const changes = { passwordHash: rehashed };
        await this.people.update(transaction, accountId, personId, changes);
      }
      return this.entry.enter(transaction, actor, account, {
        passwordHash: rehashed ?? passwordHash,
      });
    });
  }
}
