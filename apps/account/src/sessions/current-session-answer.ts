import type { CurrentSessionAnswer } from '#libs/contracts';
import type { ActiveSession } from './session-guard.js';

/** Describes a session as its owner sees it. */
export function currentSessionAnswer(
  session: Pick<
    ActiveSession,
    'accountId' | 'personId' | 'accountState' | 'restoreUntil' | 'suspendedBecause'
  >,
): CurrentSessionAnswer {
  return {
    account_id: session.accountId,
    person_id: session.personId,
    account_state: session.accountState,
    ...(session.restoreUntil && { restorable_until: session.restoreUntil.toISOString() }),
    ...(session.suspendedBecause !== null && { suspended_because: session.suspendedBecause }),
  };
}
