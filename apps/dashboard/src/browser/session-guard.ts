import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReauthenticationRequired } from '#libs/platform';
import { AccountDeletedProblem } from '#libs/public-http';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import { type Session, requireSession } from '../service-calls/sessions.js';
import { visitorTerms } from './allow-visitors.js';
import { CallsUnderWay } from '../service-calls/calls-under-way.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes for logged-in visitors. */
    session?: Session;
  }
}

/** Asks account for the session of a request, at most once, if the route needs a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  private readonly calls = new CallsUnderWay();

  constructor(
    private readonly reflector: Reflector,
    private readonly proxies: ServiceProxies,
  ) {}

  /** @throws NotLoggedIn, AccountDeletedProblem, ReauthenticationRequired, TooManyCalls. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { who, accountStates, needsReauthentication } = visitorTerms(this.reflector, context);
    if (who !== 'logged-in') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const session = await requireSession(this.proxies.of('account'), request.visitor);
    const isAllowed = accountStates?.some((state) => state === session.accountState) ?? true;
    if (!isAllowed) throw new AccountDeletedProblem();
    if (needsReauthentication && !session.isRecent) throw new ReauthenticationRequired();
    const { isTransfer } = request.routeOptions.config;
    await this.calls.enter(session.accountId, http.getResponse<FastifyReply>().raw, isTransfer);
    request.session = session;
    return true;
  }
}
