import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, MINUTE_MS, newId } from '#libs/platform';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import type { Actor } from '../audit/actor.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PeopleService } from '../people/people.service.js';
import { LinkInvalid } from '../registration/registration.errors.js';
import { newToken, tokenHash } from '../sessions/session-token.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { passwordChangedMail, resetMail } from './password-mail.js';
import { PasswordResetsMaintenanceRepository } from './password-resets.repository.js';

export const RESET_LINK_LIFETIME_MS = 30 * MINUTE_MS;

@Injectable()
export class PasswordResetsService {
  constructor(
    private readonly resets: PasswordResetsMaintenanceRepository,
    private readonly people: PeopleService,
    private readonly sessions: SessionsService,
    private readonly addressChanges: AddressChangeLinksService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
  ) {}

  /** E-mails a link and invalidates earlier links (S32). */
  async sendLink(transaction: Transaction, accountId: string, personId: string): Promise<void> {
    const [token, createdAt] = [newToken(), this.clock.now()];
    await this.resets.deleteAll(transaction, accountId);
    await this.resets.insert(transaction, {
      id: newId(),
      accountId,
      personId,
      tokenHash: tokenHash(token) as Buffer,
      createdAt,
      expiresAt: new Date(createdAt.getTime() + RESET_LINK_LIFETIME_MS),
    });
    const { details } = await this.people.get(transaction, accountId, personId);
    await this.mail.sendTo(transaction, accountId, details, (firstName, dashboardUrl) =>
      resetMail(firstName, dashboardUrl, token),
    );
  }

  /** Finds the account that a link belongs to, without consuming the link. @throws LinkInvalid. */
  async accountOf(transaction: Transaction, token: string): Promise<string> {
    const hash = tokenHash(token);
    const accountId = hash && (await this.resets.accountOf(transaction, hash, this.clock.now()));
    if (!accountId) throw new LinkInvalid();
    return accountId;
  }

  /** Consumes a link. Call this under the account's lock. @throws LinkInvalid. */
  async take(
    transaction: Transaction,
    token: string,
  ): Promise<{ accountId: string; personId: string }> {
    const hash = tokenHash(token);
    const link = hash && (await this.resets.take(transaction, hash, this.clock.now()));
    if (!link) throw new LinkInvalid();
    return link;
  }

  /**
   * Sets a password, ends every session and invalidates every link, including a link for a change of address, because
   * someone who knew the old password may have requested it. Notifies the owner (S28).
   */
  async setPassword(
    transaction: Transaction,
    { accountId, personId }: { accountId: string; personId: string },
    passwordHash: string,
  ): Promise<void> {
    await this.people.update(transaction, accountId, personId, { passwordHash });
    await this.resets.deleteAll(transaction, accountId);
    await this.addressChanges.forget(transaction, accountId);
    await this.sessions.endAll(transaction, accountId);
    const { details } = await this.people.get(transaction, accountId, personId);
    await this.mail.sendTo(transaction, accountId, details, passwordChangedMail);
  }

  /** Sets a password as `setPassword` does, and starts a session for the person. @returns the session's token. */
  async changePassword(
    transaction: Transaction,
    actor: Actor,
    passwordHash: string,
  ): Promise<string> {
    await this.setPassword(transaction, actor, passwordHash);
    return this.sessions.open(transaction, actor);
  }

  /** Invalidates all links when the account is erased, or when its address changes. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.resets.deleteAll(transaction, accountId);
  }
}
