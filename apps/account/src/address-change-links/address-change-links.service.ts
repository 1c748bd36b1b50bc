import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { LinkInvalid } from '../registration/registration.errors.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { newToken, tokenHash } from '../sessions/session-token.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { MAILBOX_LIMIT } from '../throttling/sign-up-limits.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import {
  AddressChangeLinksMaintenanceRepository,
  AddressChangesRepository,
} from './address-changes.repository.js';

const LINK_LIFETIME_MS = DAY_MS;
const PERSON_LIMIT: AttemptLimit = { name: 'change address', max: 5, windowMs: HOUR_MS };

@Injectable()
export class AddressChangeLinksService {
  constructor(
    private readonly changes: AddressChangesRepository,
    private readonly links: AddressChangeLinksMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly throttling: ThrottlingService,
    private readonly sessions: SessionsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Counts a request for a link. @returns false if no further e-mail may be sent to the mailbox now. @throws
   * TooManyAttempts.
   */
  async countRequest(owner: ActiveSession, mailbox: string): Promise<boolean> {
    await this.throttling.count(PERSON_LIMIT, owner.personId, owner);
    return this.throttling.isWithin(MAILBOX_LIMIT, mailbox, owner);
  }

  /**
   * Creates a link and invalidates older links. Call this under the account's lock: a new password ends all links, and
   * a call that began before it must not create another link afterwards. @returns the token for the e-mail. @throws
   * NotLoggedIn.
   */
  async make(transaction: Transaction, owner: ActiveSession, address: string): Promise<string> {
    await this.sessions.checkOpen(transaction, owner);
    const { accountId, personId } = owner;
    const token = newToken();
    await this.changes.deleteAll(transaction, accountId);
    await this.changes.insert(transaction, {
      id: newId(),
      accountId,
      personId,
      tokenHash: tokenHash(token) as Buffer,
      address: await this.personalData.encrypt(transaction, accountId, address),
      expiresAt: new Date(this.clock.now().getTime() + LINK_LIFETIME_MS),
    });
    return token;
  }

  /** Finds the account that a link belongs to, without consuming the link. @throws LinkInvalid. */
  async accountOf(transaction: Transaction, token: string): Promise<string> {
    const hash = tokenHash(token);
    const accountId = hash && (await this.links.accountOf(transaction, hash, this.clock.now()));
    if (!accountId) throw new LinkInvalid();
    return accountId;
  }

  /** Consumes a link. Call this under the account's lock. @throws LinkInvalid. */
  async take(
    transaction: Transaction,
    token: string,
  ): Promise<{ personId: string; address: string }> {
    const hash = tokenHash(token);
    const link = hash && (await this.links.take(transaction, hash, this.clock.now()));
    if (!link) throw new LinkInvalid();
    const { accountId, personId } = link;
    const address = await this.personalData.decrypt<string>(transaction, accountId, link.address);
    return { personId, address };
  }

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.changes.deleteAll(transaction, accountId);
  }
}
