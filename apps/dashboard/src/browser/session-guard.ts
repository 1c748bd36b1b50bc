import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotLoggedIn, ReauthenticationRequired } from '#libs/platform';
import { AccountDeletedProblem } from '#libs/public-http';
import { CallsUnderWay } from '../service-calls/calls-under-way.js';
import { ServiceProxies } from '../service-calls/service-proxies.js';
import { type Session, currentSession } from '../service-calls/sessions.js';
import { type VisitorTerms, visitorTerms } from './allow-visitors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on routes for logged-in visitors; on routes for either, set if the visitor is logged in. */
    session?: Session;
  }
}

/**
 * Asks account for the session of a request, if the route needs or uses one. A request with a session cookie waits for
 * its turn first.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly proxies: ServiceProxies,
    private readonly calls: CallsUnderWay,
  ) {}

  /** @throws NotLoggedIn, AccountDeletedProblem, ReauthenticationRequired, TooManyCalls, ServiceUnavailable. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const terms = visitorTerms(this.reflector, context);
    if (terms.who !== 'logged-in' && terms.who !== 'either') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const answer = http.getResponse<FastifyReply>().raw;
    if (request.visitor.sessionToken) {
      const { isTransfer } = request.routeOptions.config;
      request.endTurn = await this.calls.enter(request.visitor, answer, isTransfer);
    }
    try {
      await this.readSession(request, terms);
    } catch (error) {
      request.endTurn?.();
      throw error;
    }
    return true;
  }

  private async readSession(
    request: FastifyRequest,
    { who, accountStates, needsReauthentication }: VisitorTerms,
  ): Promise<void> {
    const { visitor } = request;
    const session = await currentSession(this.proxies.of('account'), visitor);
    request.session = session ?? undefined;
    if (visitor.sessionToken) this.calls.noteSession(visitor.sessionToken, session?.accountId);
    if (who === 'either') return;
    if (!session) throw new NotLoggedIn();
    const isAllowed = accountStates?.some((state) => state === session.accountState) ?? true;
    if (!isAllowed) throw new AccountDeletedProblem();
    if (needsReauthentication && !session.isRecent) throw new ReauthenticationRequired();
  }
}
