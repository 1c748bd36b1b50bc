import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { AccountUnderTest } from '../../../../test/account/account-under-test.js';
import { ProviderArrivalsService } from './provider-arrivals.service.js';

/** A visitor without cookies. */
const NOBODY = {
  userAgent: '',
  requestId: '',
  deviceToken: '',
  stepToken: '',
  sessionToken: '',
};

let account: AccountUnderTest;

beforeAll(async () => {
  account = await AccountUnderTest.start();
});
afterAll(() => account?.stop());

it('429: a person’s log-ins with a provider are limited, without delaying another person', async () => {
  const arrivals = account.get(ProviderArrivalsService);
  const arrive = (subject: string) => {
    const identity = { provider: 'google' as const, subject, address: `${subject}@example.com` };
    const visitor = { ...NOBODY, address: '192.0.2.1' };
    return arrivals.arrive({ ...identity, name: 'Ada' }, '/', visitor);
  };
  await arrive('busy');
  await arrive('other');
  await arrive('busy');
  await account.database.query('update attempts set count = 300');
  await expect(arrive('busy')).rejects.toMatchObject({ status: 429, code: 'too_many_attempts' });
  expect(await arrive('other')).toMatchObject({ body: { account_state: 'active' } });
});
