import { isOutcomeCharged, isSourceCharged, outcomeOf, sourceOf } from '#libs/contracts';
import type { OwnerAnswer } from '../context/owner-answer.js';
import type { RequestContext } from '../context/request-context.js';

/**
 * Returns the credits to charge for an answer. Only status 200 is charged. Answers with an outcome or a source that
 * this release does not know are free.
 */
export function creditsFor({ headers }: OwnerAnswer, context: RequestContext): number {
  const outcome = outcomeOf(headers.outcome);
  const source = sourceOf(headers.servedFrom);
  if (headers.status !== 200 || outcome === undefined || source === undefined) return 0;
  if (!isSourceCharged(source)) return 0;
  if (context.route.operation.price.per !== 'item') {
    const most = headers.creditsMax ?? context.cost;
    return isOutcomeCharged(outcome) ? Math.min(context.cost, most) : 0;
  }
  // Even if the owner counts more items, the charge never exceeds the reserved credits.
  return Math.min(context.cost, (headers.chargedItems ?? 0) * context.eachPrice);
}
