import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ACCOUNT_LIMITS, AccountLimitsAnswer } from '#libs/contracts';
import { faultsOf } from '#libs/platform';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, [ACCOUNT_LIMITS]);
});
afterAll(() => under?.stop());

it.each(['live', 'test'] as const)(
  'a %s key can read the rate limits of its account',
  async (environment) => {
    const { account, entitlement } = under.around;
    const { apiKey, keyRecord } = account.addKey({ scopes: ['account:read'], environment });
    entitlement.limits.set(keyRecord.accountId, 80);
    entitlement.keys = 3;
    const { status, json, headers } = await under.ask('/v2.0/account/limits', {
      'x-api-key': apiKey,
    });
    expect([status, faultsOf(AccountLimitsAnswer, json)]).toEqual([200, []]);
    expect(json).toEqual({
      status: true,
      requests_per_minute: { live: 80, bulk: 5, heavy: 3, account: 60 },
      keys: 3,
    });
    expect(headers).toMatchObject({ 'ratelimit-policy': '"account";q=60;w=60' });
  },
);
