import type { BalanceAnswer, GrantAmounts, UsageV1Answer } from '#libs/contracts';

/** The answer of `account.usage-v1`. Of a plan, the credits that are still to end are those of its current month. */
export function usageV1Answer({ grants }: BalanceAnswer, now: Date): UsageV1Answer {
  const once = grants.filter(({ source_type: source }) => source !== 'subscription');
  const ofPlan = grants.filter(
    ({ source_type: source, expires_at: end }) =>
      source === 'subscription' && (end === null || new Date(end) > now),
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

const sum = (grants: readonly GrantAmounts[], of: (grant: GrantAmounts) => number) =>
  grants.reduce((total, grant) => total + of(grant), 0);
