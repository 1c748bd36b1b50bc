import { Injectable } from '@nestjs/common';
import type { ConfirmSignUpRequest, ConfirmedSignUpAnswer } from '#libs/contracts';
import { newId } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { KeysService } from '../keys/keys.service.js';
import { PeopleService } from '../people/people.service.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { LinkInvalid } from './registration.errors.js';
import { SignUpsService } from './sign-ups.service.js';

@Injectable()
export class ConfirmationService {
  constructor(
    private readonly signUps: SignUpsService,
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly keys: KeysService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Registers the account, issues its first keys and starts a session. Of several calls with the same link, only one
   * succeeds (S39). The password is required again, because anyone can sign up with anyone's address: the mailbox's
   * owner must not get an account to which a stranger knows the password. The owner may set another password instead
   * (S129).
   * @throws LinkInvalid, including if another sign-up with the same address was confirmed before; NotTheSignUpPassword;
   * InvalidRequest, TooManyAttempts, PasswordQueueFull.
   */
  async confirm(
    request: ConfirmSignUpRequest,
    visitor: Visitor,
  ): Promise<SessionAnswer<ConfirmedSignUpAnswer>> {
    const { token } = request;
    const passwordHash = await this.passwordHashOf(request, visitor);
    return this.accounts.transaction(async (transaction) => {
      const { signUp, details } = await this.signUps.take(transaction, token);
      const actor = { accountId: signUp.id, personId: newId(), visitor };
      const claim = this.people.trialClaim(details.address);
      await this.accounts.register(transaction, actor.accountId, claim);
      const isFirst = await this.people.insert(transaction, {
        id: actor.personId,
        accountId: actor.accountId,
        addressHash: signUp.addressHash,
        details: signUp.details,
        passwordHash,
        createdAt: signUp.createdAt,
      });
      if (!isFirst) throw new LinkInvalid();
      const keys = await this.keys.issueFirst(transaction, actor.accountId);
      const sessionToken = await this.sessions.open(transaction, actor);
      await this.audit.record(transaction, {
        by: actor,
        action: 'registration.confirmed',
        object: `account:${actor.accountId}`,
      });
      const body = { account_id: actor.accountId, key: keys.live, test_key: keys.test };
      return new SessionAnswer(body, sessionToken, this.people.newDeviceToken(details.address));
    });
  }

  /**
   * Hashes the password before the transaction that removes the sign-up, because otherwise that
   * transaction would keep rows locked for too long.
   * @throws LinkInvalid; the errors of `SignUpPasswordsService.hashOf`.
   */
  private async passwordHashOf(request: ConfirmSignUpRequest, visitor: Visitor): Promise<string> {
    const signUp = await this.accounts.transaction(async (transaction) =>
      this.signUps.find(transaction, request.token),
    );
    return this.signUps.passwordHashOf(signUp, request, visitor);
  }
}
