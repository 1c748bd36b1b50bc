import { Injectable } from '@nestjs/common';
import type { ConfirmSignUpRequest } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS, newId } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PeopleService, type PersonDetails } from '../people/people.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { newToken, tokenHash } from '../sessions/session-token.js';
import { LinkInvalid } from './registration.errors.js';
import { alreadyRegisteredMail, confirmationMail } from './registration-mail.js';
import type { SignUp } from './sign-up.entity.js';
import { SignUpPasswordsService } from './sign-up-passwords.service.js';
import { SignUpsMaintenanceRepository } from './sign-ups.repository.js';

const LINK_LIFETIME_MS = DAY_MS;
const PURGE_BATCH = 500;

export interface ConfirmedSignUp {
  signUp: SignUp;
  details: PersonDetails;
}

/** Manages sign-ups whose address is not confirmed yet. */
@Injectable()
export class SignUpsService {
  constructor(
    private readonly signUps: SignUpsMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly people: PeopleService,
    private readonly mail: OwnerMailService,
    private readonly passwords: SignUpPasswordsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a sign-up and e-mails a link to its address. For an address with an account, stores a sign-up whose token
   * nobody receives and e-mails a notice instead, so that the work is the same (S24).
   * @returns the id of the sign-up.
   */
  async open(
    transaction: Transaction,
    details: PersonDetails,
    { passwordHash, isKnown }: { passwordHash: string; isKnown: boolean },
  ): Promise<string> {
    const [id, token, createdAt] = [newId(), newToken(), this.clock.now()];
    await this.personalData.createKey(transaction, id);
    await this.signUps.insert(transaction, {
      id,
      tokenHash: tokenHash(token) as Buffer,
      addressHash: this.people.addressHash(details.address),
      details: await this.personalData.encrypt(transaction, id, details),
      passwordHash,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + LINK_LIFETIME_MS),
    });
    await this.mail.sendTo(transaction, id, details, (firstName, dashboardUrl) =>
      isKnown
        ? alreadyRegisteredMail(dashboardUrl)
        : confirmationMail(firstName, dashboardUrl, token),
    );
    return id;
  }

  /** Finds the sign-up that a link belongs to, without removing it. @throws LinkInvalid. */
  async find(transaction: Transaction, token: string): Promise<SignUp> {
    const hash = tokenHash(token);
    const signUp = hash && (await this.signUps.find(transaction, hash, this.clock.now()));
    if (!signUp) throw new LinkInvalid();
    return signUp;
  }

  /** Returns the hash of the account's password. @throws the errors of `SignUpPasswordsService.hashOf`. */
  async passwordHashOf(
    signUp: SignUp,
    request: ConfirmSignUpRequest,
    visitor: Visitor,
  ): Promise<string> {
    return this.passwords.hashOf(signUp, request, visitor);
  }

  /** Removes and returns the sign-up that a link belongs to. @throws LinkInvalid. */
  async take(transaction: Transaction, token: string): Promise<ConfirmedSignUp> {
    const hash = tokenHash(token);
    const signUp = hash && (await this.signUps.take(transaction, hash, this.clock.now()));
    if (!signUp) throw new LinkInvalid();
    const details = await this.personalData.decrypt<PersonDetails>(
      transaction,
      signUp.id,
      signUp.details,
    );
    return { signUp, details };
  }

  async purge(transaction: Transaction): Promise<void> {
    const now = this.clock.now();
    for (const { id } of await this.signUps.listExpired(transaction, now, PURGE_BATCH)) {
      // A confirmation that began just before the sign-up expired has opened an account, which keeps the key.
      if (!(await this.signUps.delete(transaction, id))) continue;
      await this.mail.forget(transaction, id);
      await this.personalData.destroyKey(transaction, id);
    }
  }
}
