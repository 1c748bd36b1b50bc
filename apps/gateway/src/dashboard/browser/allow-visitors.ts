import { type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import type { UsableState } from '#libs/contracts';

/** `signed`: no browser, but a machine that signs its bytes; their owner checks the signature. */
export type Visitors = 'logged-in' | 'anyone' | 'signed';

export interface VisitorTerms {
  who: Visitors;
  /** Of the accounts that may; every state unless given. */
  accountStates?: readonly UsableState[];
}

const ALLOWED_VISITORS = 'allowed-visitors';

/** Says who may ask for a page or call. One without it is for whoever is logged in, and fails the tests (S86). */
export const AllowVisitors = (who: Visitors, accountStates?: readonly UsableState[]) =>
  SetMetadata(ALLOWED_VISITORS, { who, accountStates } satisfies VisitorTerms);

/** What a route's `AllowVisitors` says, or that of its controller. */
export function visitorTerms(reflector: Reflector, context: ExecutionContext): VisitorTerms {
  const places = [context.getHandler(), context.getClass()];
  const terms = reflector.getAllAndOverride<VisitorTerms | undefined>(ALLOWED_VISITORS, places);
  return terms ?? { who: 'logged-in' };
}
