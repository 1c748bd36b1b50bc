import { Injectable } from '@nestjs/common';
import type { IdentityRemovedAnswer } from '#libs/contracts';
import { NotFound, NotLoggedIn } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { PeopleService } from '../people/people.service.js';
import { CurrentSessionsService } from '../sessions/current-sessions.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { SessionAnswer } from '../sessions/session-headers.js';
import { SessionsService } from '../sessions/sessions.service.js';
import { LastWayIn, ProviderAddressNotVerified } from './identities.errors.js';
import { IdentitiesService } from './identities.service.js';
import type { ProvenIdentity } from './providers.service.js';

/**
 * Connects a provider to the account of a session, or disconnects it. Either change gives the session a new token
 * (S26).
 */
@Injectable()
export class ProviderConnectionsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesService,
    private readonly people: PeopleService,
    private readonly current: CurrentSessionsService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Connects the provider. The session must be the one that started the connection, and must still be open under the
   * account's lock, because a new password may have ended the session in the meantime. @throws NotLoggedIn;
   * ProviderAddressNotVerified, IdentityTaken, AccountIsDeleted, NotFound.
   */
  async connect(
    proven: ProvenIdentity,
    asked: { sessionId: string; sessionToken: string | undefined; to: string; visitor: Visitor },
  ): Promise<SessionAnswer<{ to: string }>> {
    const session = await this.current.find(asked.sessionToken);
    if (session?.id !== asked.sessionId) throw new NotLoggedIn();
    if (proven.address === undefined) throw new ProviderAddressNotVerified();
    const { accountId, personId, id: sessionId } = session;
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const token = await this.sessions.renew(transaction, { accountId, sessionId });
      const by = { accountId, personId, visitor: asked.visitor };
      await this.identities.link(transaction, by, proven);
      const object = `person:${personId}`;
      await this.audit.record(transaction, { by, action: 'identity.linked', object });
      return new SessionAnswer({ to: asked.to }, token);
    });
  }

  /**
   * Disconnects a provider and ends all other sessions, because someone with access to that identity may have opened a
   * session.
   * @throws NotFound; LastWayIn if there is no other way to log in; AccountIsDeleted, NotLoggedIn.
   */
  async remove(owner: ActiveSession, id: string): Promise<SessionAnswer<IdentityRemovedAnswer>> {
    const { accountId, personId } = owner;
    return this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const token = await this.sessions.renew(transaction, owner);
      const all = await this.identities.list(transaction, accountId);
      const identity = all.find((one) => one.id === id);
      if (!identity) throw new NotFound();
      await this.identities.remove(transaction, accountId, identity);
      const ways = await this.people.countWaysIn(transaction, accountId, personId);
      if (ways === 0) throw new LastWayIn();
      await this.sessions.endAll(transaction, accountId, owner.sessionId);
      const object = `identity:${id}`;
      await this.audit.record(transaction, { by: owner, action: 'identity.removed', object });
      return new SessionAnswer({ removed: true }, token);
    });
  }
}
