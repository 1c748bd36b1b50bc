import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  SetMetadata,
  UseGuards,
  applyDecorators,
  createParamDecorator,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { AllowCallers, Clock, MINUTE_MS, NotLoggedIn } from '#libs/platform';
import { AccountIsDeleted } from '../accounts/accounts.errors.js';
import { type Actor, visitorOf } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { CurrentSessionsService } from './current-sessions.service.js';
import type { FoundSession } from './session-tokens.repository.js';
import { ReauthenticationRequired } from './sessions.errors.js';

/** What a dashboard route asks of the session. */
export interface SessionTerms {
  /** The password was given within the last 10 minutes (S35). */
  recently?: boolean;
  /** Open to a deleted account too, which may otherwise only restore. */
  deletedToo?: boolean;
}

/** The session of the current call: the actor with what the session says of the account. */
export interface ActiveSession extends Actor, Pick<FoundSession, 'accountState' | 'restoreUntil'> {
  sessionId: string;
  /** The password was given within the last 10 minutes. */
  isRecent: boolean;
}

type RequestWithSession = FastifyRequest & { session?: ActiveSession };

const SESSION_TERMS = 'session-terms';
const RECENT_MS = 10 * MINUTE_MS;

@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: CurrentSessionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithSession>();
    const found = await this.sessions.find(request.headers['x-session-token']);
    if (!found) throw new NotLoggedIn();
    const { id: sessionId, accountId, personId, accountState, restoreUntil } = found;
    const visitor = visitorOf(request);
    const ageMs = this.clock.now().getTime() - found.authenticatedAt.getTime();
    const isRecent = ageMs <= RECENT_MS;
    const account = { accountId, accountState, restoreUntil };
    const session: ActiveSession = { ...account, sessionId, personId, visitor, isRecent };
    const terms = this.reflector.get<SessionTerms>(SESSION_TERMS, context.getHandler());
    const refusal = this.refusalOf(session, terms);
    if (refusal) {
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      await this.audit.recordRefusal({
        by: session,
        action: 'session.refused',
        object: `route:${route}`,
        after: { code: refusal.code },
      });
      throw refusal;
    }
    request.session = session;
    return true;
  }

  private refusalOf(session: ActiveSession, terms: SessionTerms) {
    if (session.restoreUntil && !terms.deletedToo)
      return new AccountIsDeleted(session.restoreUntil);
    return terms.recently && !session.isRecent ? new ReauthenticationRequired() : undefined;
  }
}

/** Declares a dashboard route: called by the gateway, with a session that meets the terms. */
export const RequireSession = (terms: SessionTerms = {}) =>
  applyDecorators(
    AllowCallers('gateway'),
    SetMetadata(SESSION_TERMS, terms),
    UseGuards(SessionGuard),
  );

export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): ActiveSession => {
    const { session } = context.switchToHttp().getRequest<RequestWithSession>();
    if (!session) throw new Error('the route is not declared with @RequireSession');
    return session;
  },
);
