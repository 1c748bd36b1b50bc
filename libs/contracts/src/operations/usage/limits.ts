import { IsBoolean, IsInt } from 'class-validator';
import { Nested } from '../../members.js';
import { defineOperation } from '../operation.js';
import { PriceListLimits } from '../pricing/price-list.js';

/** Requests per minute in each class. */
export class AccountClassLimits extends PriceListLimits {
  /** The same for every plan. */
  @IsInt()
  account: number;
}

/** What the account may do at present. */
export class AccountLimitsAnswer {
  @IsBoolean()
  status: boolean;

  /** Requests per minute in each class, from packages, plan and add-on. All keys of the account share them. */
  @Nested(() => AccountClassLimits)
  requests_per_minute: AccountClassLimits;

  /** The number of live keys that work; further ones are paused. */
  @IsInt()
  keys: number;
}

export const ACCOUNT_LIMITS = defineOperation({
  name: 'account.limits',
  summary: 'The rate limits of your account, and the number of keys',
  description:
    'Every answer says in `RateLimit` what remains of the limit that it counted towards. Test keys have the same limits, but are counted separately.',
  method: 'GET',
  routes: [{ path: '/v2.0/account/limits', version: 2 }],
  access: { kind: 'key', scope: 'account:read', class: 'account' },
  owner: { service: 'gateway', path: '/account/limits' },
  parameters: {},
  answers: [{ type: 'application/json', of: AccountLimitsAnswer }],
  price: { per: 'free' },
  problems: [],
  examples: [
    {
      title: 'The limits of a package of 50,000 credits',
      parameters: {},
      answer: {
        status: true,
        requests_per_minute: { live: 80, bulk: 20, heavy: 10, account: 60 },
        keys: 5,
      },
    },
  ],
});
