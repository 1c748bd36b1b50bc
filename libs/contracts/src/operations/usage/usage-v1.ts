import { IsIn, IsInt } from 'class-validator';
import { IsCount, Nested } from '../../members.js';
import { defineOperation } from '../operation.js';

/** Credits that were bought once or granted. */
export class OneTimeCredits {
  /** The granted credits, less those that expired or were revoked. */
  @IsCount()
  totalCredits: number;

  /** The part of `totalCredits` that has been used. */
  @IsCount()
  servedRequest: number;
}

/** Credits of the API plan in its current month. */
export class PlanCredits {
  @IsCount()
  requestLimit: number;

  @IsCount()
  servedRequests: number;

  @IsIn(['active', 'inactive'])
  subscriptionStatus: string;

  /** Always 0, because no credits are charged beyond those that were bought. */
  @IsInt()
  surchargeRequestLimit: number;

  @IsInt()
  servedSurchargeRequests: number;
}

/** The answer in the format of another service, except that it does not repeat the key. */
export class UsageV1Answer {
  @Nested(() => OneTimeCredits)
  apiCredits: OneTimeCredits;

  @Nested(() => PlanCredits)
  apiSubscription: PlanCredits;
}

export const USAGE_V1 = defineOperation({
  name: 'account.usage-v1',
  summary: 'Credits granted and used, in the format of version 1',
  description:
    'For clients that migrate from another service. The answer does not repeat the key, and surcharges are always 0. Usage appears within two minutes. `/v2.0/account/credits` gives more detail.',
  method: 'GET',
  routes: [{ path: '/v1.0/whoisapi/usage', version: 1, successor: '/v2.0/account/credits' }],
  access: { kind: 'key', scope: 'account:read', class: 'account' },
  owner: { service: 'entitlement', path: '/internal/account/usage-v1' },
  parameters: {},
  answers: [{ type: 'application/json', of: UsageV1Answer }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'A package and a plan',
      parameters: {},
      answer: {
        apiCredits: { totalCredits: 15_500, servedRequest: 1_769 },
        apiSubscription: {
          requestLimit: 50_000,
          servedRequests: 8_120,
          subscriptionStatus: 'active',
          surchargeRequestLimit: 0,
          servedSurchargeRequests: 0,
        },
      },
    },
  ],
});
