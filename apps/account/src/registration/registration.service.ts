import { Injectable } from '@nestjs/common';
import type { SignUpAnswer, SignUpRequest } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import { ThrottlingService } from '../throttling/throttling.service.js';
import {
  MAILBOX_LIMIT,
  SIGN_UP_DOMAIN_LIMIT,
  SIGN_UP_NETWORK_LIMIT,
} from '../throttling/sign-up-limits.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { domainOfAddress } from '../people/address.js';
import { PeopleService } from '../people/people.service.js';
import { SignUpsService } from './sign-ups.service.js';

@Injectable()
export class RegistrationService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly people: PeopleService,
    private readonly signUps: SignUpsService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Sends a link to the address, unless too many were sent to its mailbox lately. The answer is the same in that case,
   * and also if the address already has an account (S24).
   * @throws InvalidRequest for a password that breaks the rules; TooManyAttempts; PasswordQueueFull.
   */
  async signUp(request: SignUpRequest, visitor: Visitor): Promise<SignUpAnswer> {
    const { email: address, first_name: firstName, password } = request;
    await this.throttling.countNetwork(SIGN_UP_NETWORK_LIMIT, visitor);
    this.passwords.check(password);
    const mailbox = this.people.mailboxOf(address);
    const isWithin = await this.throttling.isWithin(MAILBOX_LIMIT, mailbox, visitor);
    await this.throttling.isWithin(SIGN_UP_DOMAIN_LIMIT, domainOfAddress(address), visitor);
    // Earlier links stay valid, whoever requested them (S129).
    if (!isWithin) return { status: 'confirmation_sent' };
    const passwordHash = await this.passwords.hash(password, visitor.address);
    const isKnown = (await this.people.findByAddress(address, visitor.address)) !== null;
    await this.accounts.transaction(async (transaction) => {
      const details = { firstName, address };
      const id = await this.signUps.open(transaction, details, { passwordHash, isKnown });
      const object = `sign-up:${id}`;
      await this.audit.record(transaction, {
        by: visitor,
        signUpId: id,
        action: 'registration.requested',
        object,
      });
    });
    return { status: 'confirmation_sent' };
  }
}
