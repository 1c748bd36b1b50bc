import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { NotTheSignUpPassword } from './registration.errors.js';
import type { SignUp } from './sign-up.entity.js';

/** Each attempt costs a hash: the owner of a link must not keep others from logging in (S20). */
const LINK_LIMIT: AttemptLimit = { name: 'sign-up link', max: 60, windowMs: HOUR_MS };

/** Asks who follows a link for the password that was chosen at sign-up. */
@Injectable()
export class SignUpPasswordsService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws NotTheSignUpPassword, TooManyAttempts, PasswordQueueFull. */
  async check({ id, passwordHash }: SignUp, password: string, visitor: Visitor): Promise<void> {
    await this.throttling.count(LINK_LIMIT, id, visitor);
    if (await this.passwords.matches(password, passwordHash)) return;
    const object = `sign-up:${id}`;
    await this.audit.recordRefusal({ by: visitor, action: 'registration.refused', object });
    throw new NotTheSignUpPassword();
  }
}
