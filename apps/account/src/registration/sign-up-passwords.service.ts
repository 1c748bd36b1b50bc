import { Injectable } from '@nestjs/common';
import type { ConfirmSignUpRequest } from '#libs/contracts';
import { HOUR_MS } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { NotTheSignUpPassword } from './registration.errors.js';
import type { SignUp } from './sign-up.entity.js';

/** Limits attempts, because each costs a hash, and the holder of a link must not block other log-ins (S20). */
const LINK_LIMIT: AttemptLimit = { name: 'sign-up link', max: 60, windowMs: HOUR_MS };

/**
 * Determines the password of a new account: the one chosen at sign-up, or the one that the mailbox's owner sets
 * instead.
 */
@Injectable()
export class SignUpPasswordsService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly passwords: PasswordsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Checks the password when a sign-up is confirmed. @returns the hash of the account's password.
   * @throws NotTheSignUpPassword unless a new password is set; InvalidRequest, TooManyAttempts, PasswordQueueFull.
   */
  async hashOf(
    { id, passwordHash }: SignUp,
    { password, set_password: isToBeSet }: ConfirmSignUpRequest,
    visitor: Visitor,
  ): Promise<string> {
    await this.throttling.count(LINK_LIMIT, id, visitor);
    if (await this.passwords.matches(password, passwordHash, visitor.address)) return passwordHash;
    if (isToBeSet) {
      this.passwords.check(password);
      return this.passwords.hash(password, visitor.address);
    }
    const entry = { action: 'registration.refused', object: `sign-up:${id}` };
    await this.audit.recordRefusal({ by: visitor, signUpId: id, ...entry });
    throw new NotTheSignUpPassword();
  }
}
