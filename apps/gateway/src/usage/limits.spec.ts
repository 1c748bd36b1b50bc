import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ACCOUNT_LIMITS, AccountLimitsAnswer, WHOIS_LIVE } from '#libs/contracts';
import { faultsOf } from '#libs/platform';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, [ACCOUNT_LIMITS, WHOIS_LIVE]);
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

it('a 429 offers a purchase only if it raises the limit, which none does for the class `account`', async () => {
  const { apiKey, keyRecord } = under.around.account.addKey({ scopes: ['account:read', 'whois'] });
  under.around.entitlement.limits.set(keyRecord.accountId, 1);
  const refusal = async (path: string) => {
    let answer = await under.ask(path, { 'x-api-key': apiKey });
    for (let i = 0; i < 100 && answer.status === 200; i++) {
      answer = await under.ask(path, { 'x-api-key': apiKey });
    }
    expectProblem(answer, 429, 'rate_limited');
    return answer.headers;
  };
  expect(await refusal('/v2.0/whois/live?domainName=a.example')).toHaveProperty('link');
  expect(await refusal('/v2.0/account/limits')).not.toHaveProperty('link');
});
