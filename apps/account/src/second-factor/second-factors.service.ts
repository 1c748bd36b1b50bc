import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SecondFactorAnswer } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock } from '#libs/platform';
import type { Actor } from '../audit/actor.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { ThrottlingService } from '../throttling/throttling.service.js';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.js';
import { type SecondFactorChange, secondFactorMail } from './second-factor-mail.js';
import { SecondFactorOff, SecondFactorOn, WrongCode } from './second-factor.errors.js';
import { SecondFactorRepository } from './second-factor.repository.js';
import { matchingStep, stepOf } from './totp.js';

/** Number of bytes in a secret: the length of a SHA-1 hash (RFC 4226 §4, R6). */
const SECRET_BYTES = 20;
const APP_CODE = /^\d{6}$/;

type Person = Pick<Actor, 'accountId' | 'personId'>;

/**
 * Manages the second step of log-ins: the secret of an authenticator app, and recovery codes. The owner is notified of
 * each change that takes effect.
 */
@Injectable()
export class SecondFactorsService {
  constructor(
    private readonly factors: SecondFactorRepository,
    private readonly personalData: PersonalDataService,
    private readonly throttling: ThrottlingService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
  ) {}

  /** Whether the person's log-ins have a second step. */
  async isOn(transaction: Transaction, { accountId, personId }: Person): Promise<boolean> {
    const factor = await this.factors.find(transaction, accountId, personId);
    return factor !== null && factor.confirmedAt !== null;
  }

  async describe(
    transaction: Transaction,
    { accountId, personId }: Person,
  ): Promise<SecondFactorAnswer> {
    const factor = await this.factors.find(transaction, accountId, personId);
    return {
      on_since: factor?.confirmedAt?.toISOString() ?? null,
      recovery_codes: await this.factors.countCodes(transaction, accountId, personId),
    };
  }

  /** Creates a secret that takes effect once a first code confirms it. @throws SecondFactorOn. */
  async begin(transaction: Transaction, person: Person): Promise<Buffer> {
    if (await this.isOn(transaction, person)) throw new SecondFactorOn();
    const secret = randomBytes(SECRET_BYTES);
    const { accountId, personId } = person;
    const sealed = secret.toString('base64');
    await this.factors.put(transaction, accountId, {
      personId,
      secret: await this.personalData.encrypt(transaction, accountId, sealed),
      createdAt: this.clock.now(),
      confirmedAt: null,
      lastStep: 0,
    });
    return secret;
  }

  /**
   * Turns the second factor on with a first code. @returns the only copy of the recovery codes.
   * @throws SecondFactorOff, SecondFactorOn, WrongCode.
   */
  async confirm(transaction: Transaction, person: Person, code: string): Promise<string[]> {
    const { accountId, personId } = person;
    const factor = await this.factors.find(transaction, accountId, personId);
    if (!factor) throw new SecondFactorOff();
    if (factor.confirmedAt) throw new SecondFactorOn();
    await this.takeOfApp(transaction, person, code.replaceAll(/\s/g, ''));
    await this.factors.confirm(transaction, accountId, personId, this.clock.now());
    return this.replaceCodes(transaction, person, 'on');
  }

  /** Replaces the recovery codes. @returns the only copy of the new codes. @throws SecondFactorOff. */
  async newCodes(transaction: Transaction, person: Person): Promise<string[]> {
    if (!(await this.isOn(transaction, person))) throw new SecondFactorOff();
    return this.replaceCodes(transaction, person, 'codes');
  }

  /**
   * Removes the second factor with its recovery codes, and tells the owner by e-mail.
   * @returns false if no second factor was in effect.
   */
  async remove(
    transaction: Transaction,
    accountId: string,
    change: SecondFactorChange,
  ): Promise<boolean> {
    const isRemoved = await this.factors.delete(transaction, accountId);
    if (isRemoved) await this.mail.send(transaction, accountId, secondFactorMail(change));
    return isRemoved;
  }

  /** Deletes the second factor as part of the account's erasure. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.factors.delete(transaction, accountId);
  }

  /**
   * Counts a guess at the person's codes. Call this before the transaction that checks a code, because a wrong code
   * rolls that transaction back. Anyone who guesses codes during a log-in knows the password, so a new password starts
   * a new count. @throws TooManyAttempts.
   */
  async countGuess(by: Actor, passwordHash: string | null): Promise<void> {
    await this.throttling.countGuess(subjectOf(by, passwordHash), by);
  }

  async forgetGuesses(by: Actor, passwordHash: string | null): Promise<void> {
    await this.throttling.forgetGuesses(subjectOf(by, passwordHash));
  }

  /** Consumes a code from the app or a recovery code. @throws WrongCode. */
  async take(transaction: Transaction, person: Person, typed: string): Promise<void> {
    const code = typed.replaceAll(/\s/g, '');
    if (APP_CODE.test(code)) return this.takeOfApp(transaction, person, code);
    const { accountId, personId } = person;
    const hash = recoveryCodeHash(typed);
    const isTaken = hash && (await this.factors.takeCode(transaction, accountId, personId, hash));
    if (!isTaken) throw new WrongCode();
    await this.mail.send(transaction, accountId, secondFactorMail('code-used'));
  }

  private async takeOfApp(
    transaction: Transaction,
    { accountId, personId }: Person,
    code: string,
  ): Promise<void> {
    const factor = await this.factors.find(transaction, accountId, personId);
    if (!factor) throw new WrongCode();
    const secret = await this.personalData.decrypt<string>(transaction, accountId, factor.secret);
    const step = matchingStep(Buffer.from(secret, 'base64'), code, stepOf(this.clock.now()));
    const isTaken =
      step !== undefined && (await this.factors.takeStep(transaction, accountId, personId, step));
    if (!isTaken) throw new WrongCode();
  }

  private async replaceCodes(
    transaction: Transaction,
    { accountId, personId }: Person,
    change: SecondFactorChange,
  ): Promise<string[]> {
    const codes = newRecoveryCodes();
    await this.factors.deleteCodes(transaction, accountId);
    await this.factors.insertCodes(transaction, accountId, personId, {
      hashes: codes.map((code) => recoveryCodeHash(code) as Buffer),
      createdAt: this.clock.now(),
    });
    await this.mail.send(transaction, accountId, secondFactorMail(change));
    return codes;
  }
}

const subjectOf = ({ personId }: Person, passwordHash: string | null) =>
  `code\n${personId}\n${passwordHash ?? ''}`;
