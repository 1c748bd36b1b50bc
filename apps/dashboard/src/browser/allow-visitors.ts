import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { Access } from '#libs/contracts';

/**
 * `either`: the page is different for logged-in visitors. `signed`: the caller is a machine that signs the bytes of its
 * call, and the owner of the call verifies the signature.
 */
export type Visitors = 'logged-in' | 'either' | 'anyone' | 'signed';

/** What a route requires of the session, besides its existence. By default, nothing. */
export type SessionTerms = Omit<Extract<Access, { kind: 'session' }>, 'kind'>;

export interface VisitorTerms extends SessionTerms {
  who: Visitors;
}

/** The setting of pages that are useless to a deleted account, whose owner is redirected to the restore page. */
export const OF_ACTIVE_ACCOUNTS: SessionTerms = { accountStates: ['active'] };

const ALLOWED_VISITORS = 'allowed-visitors';

/** Declares who may open a page or make a call. Without this, only logged-in users may, and the tests fail (S86). */
export const AllowVisitors = (who: Visitors, terms: SessionTerms = {}) =>
  SetMetadata(ALLOWED_VISITORS, { who, ...terms } satisfies VisitorTerms);

/** Returns the `AllowVisitors` setting of a route or else of its controller; by default, `logged-in`. */
export function visitorTerms(reflector: Reflector, context: ExecutionContext): VisitorTerms {
  const places = [context.getHandler(), context.getClass()];
  const terms = reflector.getAllAndOverride<VisitorTerms | undefined>(ALLOWED_VISITORS, places);
  return terms ?? { who: 'logged-in' };
}
