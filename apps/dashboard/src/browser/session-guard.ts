import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotLoggedIn, ReauthenticationRequired } from '#libs/platform';
import { AccountDeletedProblem } from '#libs/public-http';
import { CallsUnderWay } from '../service-calls/calls-under-way.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import { TooManyCalls } from '../service-calls/service-calls.errors.js';
import { type Session, currentSession } from '../service-calls/sessions.js';
import { visitorTerms } from './allow-visitors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes for logged-in visitors; on routes for either, set if the visitor is logged in. */
    session?: Session;
  }
}

/** Asks account for the session of a request, at most once, if the route needs or uses a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly proxies: ServiceProxies,
    private readonly calls: CallsUnderWay,
  ) {}

  /** @throws NotLoggedIn, AccountDeletedProblem, ReauthenticationRequired, TooManyCalls, ServiceUnavailable. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { who, accountStates, needsReauthentication } = visitorTerms(this.reflector, context);
    if (who !== 'logged-in' && who !== 'either') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // The client disconnected while its request waited for its turn.
    const answer = http.getResponse<FastifyReply>().raw;
    if (answer.destroyed) throw new TooManyCalls();
    await this.calls.checkBeforeSession(answer, request.visitor.sessionToken);
    const session = await currentSession(this.proxies.of('account'), request.visitor);
    request.session = session ?? undefined;
    if (who === 'either') return true;
    if (!session) throw new NotLoggedIn();
    const isAllowed = accountStates?.some((state) => state === session.accountState) ?? true;
    if (!isAllowed) throw new AccountDeletedProblem();
    if (needsReauthentication && !session.isRecent) throw new ReauthenticationRequired();
    return true;
  }
}
