import { Injectable } from '@nestjs/common';
import { NotLoggedIn } from '#libs/platform';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { CurrentSessionsService } from '../sessions/current-sessions.service.js';
import { ProviderAddressNotVerified } from './identities.errors.js';
import { IdentitiesService } from './identities.service.js';
import type { ProvenIdentity } from './providers.service.js';

/** Connects a provider with the account of the session that asked for it. */
@Injectable()
export class ProviderConnectionsService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesService,
    private readonly sessions: CurrentSessionsService,
    private readonly audit: AuditService,
  ) {}

  /** @throws NotLoggedIn unless the session is the one that asked; ProviderAddressNotVerified, IdentityTaken. */
  async connect(
    proven: ProvenIdentity,
    asked: { sessionId: string; sessionToken: string | undefined; visitor: Visitor },
  ): Promise<void> {
    const session = await this.sessions.find(asked.sessionToken);
    if (session?.id !== asked.sessionId) throw new NotLoggedIn();
    if (proven.address === undefined) throw new ProviderAddressNotVerified();
    const { accountId, personId } = session;
    await this.accounts.transaction(async (transaction) => {
      await this.accounts.lockActive(transaction, accountId);
      const by = { accountId, personId, visitor: asked.visitor };
      await this.identities.link(transaction, by, proven);
      const object = `person:${personId}`;
      await this.audit.record(transaction, { by, action: 'identity.linked', object });
    });
  }
}
