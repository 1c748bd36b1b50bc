import type { UsageV1Answer } from '#libs/contracts';
import type { Grant } from '../ledger/grant.js';

/**
 * Returns the answer to `account.usage-v1`, from every grant of an account. Of a plan's credits, only those that have
 * not ended are counted.
 */
export function usageV1Answer(grants: readonly Grant[], now: Date): UsageV1Answer {
  const once = grants.filter(({ sourceType }) => sourceType !== 'subscription');
  const ofPlan = grants.filter(
    ({ sourceType, expiresAt }) =>
      sourceType === 'subscription' && (expiresAt === undefined || expiresAt > now),
  );
  const kept = sum(ofPlan, ({ granted, revoked }) => granted - revoked);
  return {
    apiCredits: {
      totalCredits: sum(once, ({ granted, expired, revoked }) => granted - expired - revoked),
      servedRequest: sum(once, ({ consumed }) => consumed),
    },
    apiSubscription: {
      requestLimit: kept,
      servedRequests: sum(ofPlan, ({ consumed }) => consumed),
      subscriptionStatus: kept > 0 ? 'active' : 'inactive',
      surchargeRequestLimit: 0,
      servedSurchargeRequests: 0,
    },
  };
}

const sum = (grants: readonly Grant[], of: (grant: Grant) => number) =>
  grants.reduce((total, grant) => total + of(grant), 0);
