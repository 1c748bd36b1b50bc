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
    const { apiKey } = under.around.account.addKey({ scopes: ['account:read'], environment });
    const { status, json, headers } = await under.ask('/v2.0/account/limits', {
      'x-api-key': apiKey,
    });
    expect([status, faultsOf(AccountLimitsAnswer, json)]).toEqual([200, []]);
    const { account } = json.requests_per_minute as Record<string, number>;
    expect(headers).toMatchObject({ 'ratelimit-policy': `"account";q=${account};w=60` });
  },
);
