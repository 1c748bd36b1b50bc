import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ForgotPasswordRequest } from '#libs/contracts';
import { HOUR_MS, Logger } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import type { FoundPerson } from '../people/found-person.js';
import { PeopleService } from '../people/people.service.js';
import { PasswordResetsService, RESET_LINK_LIFETIME_MS } from './password-resets.service.js';

const NETWORK_LIMIT: AttemptLimit = { name: 'forgot network', max: 10, windowMs: HOUR_MS };
/**
 * Limits the reset links per address. The window is no longer than the lifetime of a link, so a user who gets no
 * further link still has a valid one.
 */
const ADDRESS_LIMIT: AttemptLimit = {
  name: 'forgot address',
  max: 3,
  windowMs: RESET_LINK_LIFETIME_MS,
};

@Injectable()
export class ForgottenPasswordsService implements OnApplicationShutdown {
  /** The e-mails that are being queued. The limits above and the connection pool bound their number. */
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly throttling: ThrottlingService,
    private readonly people: PeopleService,
    private readonly accounts: AccountsService,
    private readonly resets: PasswordResetsService,
    private readonly audit: AuditService,
    private readonly logger: Logger,
  ) {}

  /**
   * Answers after the lookup and sends the link afterwards, so that neither the answer nor the work before it reveals
   * whether the address exists (S24). Beyond the limit per address, nothing is sent, so that the last link stays valid
   * and strangers' requests lock nobody out. @throws TooManyAttempts.
   */
  async forgot(
    { email }: ForgotPasswordRequest,
    visitor: Visitor,
  ): Promise<{ status: 'link_sent_if_known' }> {
    await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    const isWithin = await this.throttling.isWithin(ADDRESS_LIMIT, email.toLowerCase(), visitor);
    const person = await this.people.findByAddress(email, visitor.address);
    if (person && isWithin) this.begin(this.send(person, visitor));
    return { status: 'link_sent_if_known' };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.settled();
  }

  /** Resolves once all e-mails under way are queued or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private begin(sending: Promise<void>): void {
    const work = sending
      .catch((error: unknown) => this.logger.error('a reset link was not sent', { err: error }))
      .finally(() => this.underWay.delete(work));
    this.underWay.add(work);
  }

  private async send({ accountId, personId }: FoundPerson, visitor: Visitor): Promise<void> {
    await this.accounts.transaction(async (transaction) => {
      await this.accounts.lock(transaction, accountId);
      await this.resets.sendLink(transaction, accountId, personId);
      await this.audit.record(transaction, {
        by: visitor,
        accountId,
        action: 'password.reset-requested',
        object: `person:${personId}`,
      });
    });
  }
}
