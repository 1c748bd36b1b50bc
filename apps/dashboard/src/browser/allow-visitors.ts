import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Access } from '#libs/contracts';

/**
 * `signed`: the caller is not a browser, but a machine that signs its bytes; the owner of the call verifies the
 * signature.
 */
export type Visitors = 'logged-in' | 'anyone' | 'signed';

/** The required session. By default, accounts in any permitted state may call. */
export type SessionTerms = Omit<Extract<Access, { kind: 'session' }>, 'kind'>;

export interface VisitorTerms extends SessionTerms {
  who: Visitors;
}

/** For pages that are useless to a deleted account: its owner is redirected to the restore page. */
export const OF_ACTIVE_ACCOUNTS: SessionTerms = { accountStates: ['active'] };

const ALLOWED_VISITORS = 'allowed-visitors';

/** Declares who may open a page or make a call. Without it, only logged-in users may, and the tests fail (S86). */
export const AllowVisitors = (who: Visitors, terms: SessionTerms = {}) =>
  SetMetadata(ALLOWED_VISITORS, { who, ...terms } satisfies VisitorTerms);

/** The setting of a route's `AllowVisitors`, or of its controller's. */
export function visitorTerms(reflector: Reflector, context: ExecutionContext): VisitorTerms {
  const places = [context.getHandler(), context.getClass()];
  const terms = reflector.getAllAndOverride<VisitorTerms | undefined>(ALLOWED_VISITORS, places);
  return terms ?? { who: 'logged-in' };
}
