import { Body, Controller, Headers, Param, UseInterceptors } from '@nestjs/common';
import {
  AskProviderRequest,
  IDENTITIES,
  IDENTITY_CONNECT,
  IDENTITY_REMOVE,
  LOG_IN_PROVIDER,
  LOG_IN_PROVIDERS,
  PROVIDER_RETURN,
  type Provider,
  ProviderReturnRequest,
} from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { OwnIdentitiesService } from '../identities/own-identities.service.js';
import { ProviderConnectionsService } from '../identities/provider-connections.service.js';
import { ProvidersService } from '../identities/providers.service.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { SessionHeaders } from '../sessions/session-headers.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { ProviderLogInService } from './provider-log-in.service.js';

@Controller()
@UseInterceptors(SessionHeaders)
export class ProviderLogInController {
  constructor(
    private readonly logIns: ProviderLogInService,
    private readonly providers: ProvidersService,
    private readonly own: OwnIdentitiesService,
    private readonly connections: ProviderConnectionsService,
    private readonly attempts: LinkAttemptsService,
  ) {}

  @ServesBrowser(LOG_IN_PROVIDERS)
  offered() {
    return { providers: this.providers.offered };
  }

  @ServesBrowser(LOG_IN_PROVIDER)
  begin(
    @Param('provider') provider: Provider,
    @Body() request: AskProviderRequest,
    @CurrentVisitor() visitor: Visitor,
  ) {
    return this.logIns.begin(provider, request, visitor);
  }

  @ServesBrowser(PROVIDER_RETURN)
  finish(
    @Body() request: ProviderReturnRequest,
    @CurrentVisitor() visitor: Visitor,
    @Headers('x-session-token') sessionToken?: string,
  ) {
    const finish = async () => this.logIns.finish(request, visitor, sessionToken);
    return this.attempts.countStep(visitor, finish);
  }

  @ServesBrowser(IDENTITIES)
  list(@CurrentSession() owner: ActiveSession) {
    return this.own.list(owner);
  }

  @ServesBrowser(IDENTITY_CONNECT)
  connect(@CurrentSession() owner: ActiveSession, @Param('provider') provider: Provider) {
    return this.own.connect(owner, provider);
  }

  @ServesBrowser(IDENTITY_REMOVE)
  remove(@CurrentSession() owner: ActiveSession, @Param('id') id: string) {
    return this.connections.remove(owner, id);
  }
}
