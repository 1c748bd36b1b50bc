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
import { type Access, type Operation, Serves } from '#libs/contracts';
import { HOUR_MS, NotLoggedIn, ReauthenticationRequired } from '#libs/platform';
import { AccountIsDeleted } from '../accounts/accounts.errors.js';
import { type Actor, visitorOf } from '../audit/actor.js';
import { type AttemptLimit, ThrottlingService } from '../throttling/throttling.service.js';
import { CurrentSessionsService } from './current-sessions.service.js';
import type { FoundSession } from './session-tokens.repository.js';

/** The session of the current call: the acting person, and the state of the account. */
export interface ActiveSession
  extends Actor, Pick<FoundSession, 'accountState' | 'restoreUntil' | 'suspendedBecause'> {
  sessionId: string;
  /** Whether the owner was verified within the last 10 minutes. */
  isRecent: boolean;
}

type RequestWithSession = FastifyRequest & { session?: ActiveSession };

const SERVED_ROW = 'served-row';

/**
 * Limits the changes that an owner makes to one account: each adds an entry to a log that is kept permanently, and most
 * publish an event.
 */
const CHANGES_LIMIT: AttemptLimit = {
  name: 'changes of account',
  max: 300,
  windowMs: HOUR_MS,
};

/**
 * Accepts a call only with a session that the operation's row permits, and within the limit of changes. The first few
 * rejections of an hour are recorded in the audit log.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly sessions: CurrentSessionsService,
    private readonly throttling: ThrottlingService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithSession>();
    const found = await this.sessions.find(request.headers['x-session-token']);
    if (!found) throw new NotLoggedIn();
    const {
      id: sessionId,
      accountId,
      personId,
      accountState,
      restoreUntil,
      suspendedBecause,
    } = found;
    const visitor = visitorOf(request);
    const isRecent = this.sessions.isRecent(found);
    const account = { accountId, accountState, restoreUntil, suspendedBecause };
    const session: ActiveSession = { ...account, sessionId, personId, visitor, isRecent };
    const { access } = this.reflector.get<Operation>(SERVED_ROW, context.getHandler());
    const refusal = this.refusalOf(session, access);
    if (refusal) {
      const route = `${request.method} ${request.routeOptions.url ?? ''}`;
      const after = { code: refusal.code };
      const object = `route:${route}`;
      await this.throttling.recordRefusal(
        { by: session, action: 'session.refused', object, after },
        accountId,
      );
      throw refusal;
    }
    // Changes by a stranger who had access to the account do not count towards its owner's limit.
    const since = found.takenBackAt?.getTime() ?? '';
    if (access.kind === 'session' && access.isPaced) {
      await this.throttling.count(CHANGES_LIMIT, `${accountId}\n${since}`, session);
    }
    request.session = session;
    return true;
  }

  private refusalOf({ restoreUntil, isRecent }: ActiveSession, access: Access) {
    if (access.kind !== 'session') return undefined;
    const { accountStates, needsReauthentication } = access;
    if (restoreUntil && !accountStates?.includes('deleted'))
      return new AccountIsDeleted(restoreUntil);
    return needsReauthentication && !isRecent ? new ReauthenticationRequired() : undefined;
  }
}

/** Works like `Serves`, with `SessionGuard` if the row needs a session. */
export function ServesBrowser(row: Operation): MethodDecorator {
  const guards = row.access.kind === 'session' ? [UseGuards(SessionGuard)] : [];
  return applyDecorators(Serves(row), SetMetadata(SERVED_ROW, row), ...guards);
}

export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext): ActiveSession => {
    const { session } = context.switchToHttp().getRequest<RequestWithSession>();
    if (!session) throw new Error('this operation has no session');
    return session;
  },
);
