import { Injectable } from '@nestjs/common';
import type {
  AskProviderAnswer,
  AskProviderRequest,
  Provider,
  ProviderReturnAnswer,
  ProviderReturnRequest,
} from '#libs/contracts';
import { MINUTE_MS, NotLoggedIn } from '#libs/platform';
import type { Visitor } from '../audit/actor.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { ProviderConnectionsService } from '../identities/provider-connections.service.js';
import { ProvidersService } from '../identities/providers.service.js';
import { type SessionAnswer, StepAnswer } from '../sessions/session-headers.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { ProviderArrivalsService } from './provider-arrivals.service.js';

/** Limits attempts, because each stores a row for ten minutes and can cause calls to the provider. */
const NETWORK_LIMIT: AttemptLimit = {
  name: 'provider network',
  max: 60,
  windowMs: 15 * MINUTE_MS,
};

/** Logs in with Google or GitHub: sends the browser to the provider and accepts its return. */
@Injectable()
export class ProviderLogInService {
  constructor(
    private readonly throttling: ThrottlingService,
    private readonly accounts: AccountsService,
    private readonly steps: LogInStepsService,
    private readonly providers: ProvidersService,
    private readonly arrivals: ProviderArrivalsService,
    private readonly connections: ProviderConnectionsService,
  ) {}

  /**
   * Starts a log-in.
   * @throws TooManyAttempts; the errors of `ProvidersService.ask`.
   */
  async begin(
    provider: Provider,
    { to = '/' }: AskProviderRequest,
    visitor: Visitor,
  ): Promise<StepAnswer<AskProviderAnswer>> {
    await this.throttling.countNetwork(NETWORK_LIMIT, visitor);
    const { url, ...asked } = await this.providers.ask(provider);
    const token = await this.accounts.transaction((transaction) =>
      this.steps.begin(transaction, 'provider', { accountId: null, content: { ...asked, to } }),
    );
    return new StepAnswer({ url }, token);
  }

  /**
   * Completes a log-in or the connection of a provider, once, in the browser that started it: the
   * step is consumed before the provider is called (S36).
   * @throws LogInOver, ProviderAddressNotVerified, IdentityTaken, NotLoggedIn, AccountIsDeleted,
   *   NotFound, TooManyAttempts; the errors of `ProvidersService.confirm`.
   */
  async finish(
    { query }: ProviderReturnRequest,
    visitor: Visitor,
    sessionToken: string | undefined,
  ): Promise<SessionAnswer<ProviderReturnAnswer> | StepAnswer<ProviderReturnAnswer>> {
    const { accountId, content } = await this.accounts.transaction((transaction) =>
      this.steps.take(transaction, 'provider', visitor.stepToken),
    );
    const { to, sessionId, ...asked } = content;
    const proven = await this.providers.confirm(asked, query);
    if (accountId === null) return this.arrivals.arrive(proven, to, visitor);
    if (sessionId === undefined) throw new NotLoggedIn();
    return this.connections.connect(proven, { sessionId, sessionToken, to, visitor });
  }
}
