import { Injectable } from '@nestjs/common';
import type { AskProviderAnswer, IdentitiesAnswer, Provider } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { PeopleService } from '../people/people.service.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { StepAnswer } from '../sessions/session-headers.js';
import { IdentitiesService } from './identities.service.js';
import { ProvidersService } from './providers.service.js';

@Injectable()
export class OwnIdentitiesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly identities: IdentitiesService,
    private readonly providers: ProvidersService,
    private readonly steps: LogInStepsService,
    private readonly people: PeopleService,
  ) {}

  async list({ accountId, personId }: ActiveSession): Promise<IdentitiesAnswer> {
    return this.accounts.transaction(async (transaction) => {
      const { person } = await this.people.get(transaction, accountId, personId);
      const identities = await this.identities.list(transaction, accountId);
      return {
        has_password: person.passwordHash !== null,
        offered: this.providers.offered,
        identities: identities.map(({ id, provider, address, createdAt, lastUsedAt }) => ({
          id,
          provider: provider as Provider,
          address,
          created_at: createdAt.toISOString(),
          last_used_at: lastUsedAt.toISOString(),
        })),
      };
    });
  }

  /**
   * Starts to connect a provider. The person must return from the provider in the same session.
   * @throws the errors of `ProvidersService.ask`.
   */
  async connect(owner: ActiveSession, provider: Provider): Promise<StepAnswer<AskProviderAnswer>> {
    const { url, ...asked } = await this.providers.ask(provider);
    const { accountId, sessionId } = owner;
    return this.accounts.transaction(async (transaction) => {
      const content = { ...asked, to: '/security', sessionId };
      return new StepAnswer(
        { url },
        await this.steps.begin(transaction, 'provider', { accountId, content }),
      );
    });
  }
}
