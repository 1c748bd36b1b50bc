import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { type AttemptLimit, AttemptsService } from '../attempts/attempts.service.js';
import { networkOf } from '../attempts/network.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { domainOfAddress } from '../people/address.js';
import { PeopleService } from '../people/people.service.js';
import type { SignUpRequest, SignUpResponse } from './registration.dto.js';
import { SignUpsService } from './sign-ups.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'sign-up network', max: 10, windowMs: HOUR_MS };
const DOMAIN_LIMIT: AttemptLimit = { name: 'sign-up domain', max: 30, windowMs: HOUR_MS };
/** Where half of the world has its mailbox. */
const LARGE_DOMAIN_LIMIT: AttemptLimit = { ...DOMAIN_LIMIT, max: 1_000 };
const LARGE_DOMAINS = new Set(
  `gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com gmx.net
  gmx.de web.de t-online.de mail.ru yandex.ru qq.com 163.com 126.com proton.me protonmail.com orange.fr`.split(
    /\s+/,
  ),
);

/** Sign-up by form. */
@Injectable()
export class RegistrationService {
  constructor(
    private readonly attempts: AttemptsService,
    private readonly passwords: PasswordsService,
    private readonly people: PeopleService,
    private readonly signUps: SignUpsService,
    private readonly accounts: AccountsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Sends a link to the address; the answer is the same when it has an account already (S24).
   * @throws InvalidRequest for a password that breaks the rules; TooManyAttempts; PasswordQueueFull.
   */
  async signUp(request: SignUpRequest, visitor: Visitor): Promise<SignUpResponse> {
    const { email: address, first_name: firstName, password } = request;
    await this.attempts.count(NETWORK_LIMIT, networkOf(visitor.address), visitor);
    this.passwords.check(password);
    const domain = domainOfAddress(address);
    const domainLimit = LARGE_DOMAINS.has(domain) ? LARGE_DOMAIN_LIMIT : DOMAIN_LIMIT;
    await this.attempts.count(domainLimit, domain, visitor);
    const passwordHash = await this.passwords.hash(password);
    const isKnown = (await this.people.findByAddress(address, visitor.address)) !== null;
    await this.accounts.transaction(async (transaction) => {
      const details = { firstName, address };
      const id = await this.signUps.open(transaction, details, { passwordHash, isKnown });
      const object = `sign-up:${id}`;
      await this.audit.record(transaction, {
        by: visitor,
        action: 'registration.requested',
        object,
      });
    });
    return { status: 'confirmation_sent' };
  }
}
