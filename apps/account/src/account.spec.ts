import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { newId } from '#libs/platform';
import { scrape } from '#test/environment';
import {
  AccountUnderTest,
  type Owner,
  PASSWORD,
} from '../../../test/account/account-under-test.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Dashboard routes that need a session, each with a body that passes validation. */
const ROUTES = (
  [
    ['POST', 'log-out'],
    ['GET', 'session'],
    ['POST', 'session/reauthenticate', { password: 'x' }],
    ['GET', 'sessions'],
    ['DELETE', 'sessions/:id'],
    ['GET', 'keys'],
    ['POST', 'keys', { name: 'Server', environment: 'live' }],
    ['PATCH', 'keys/:id', { name: 'Other' }],
    ['DELETE', 'keys/:id'],
    ['POST', 'keys/:id/rotate', { overlap: 'now' }],
    ['POST', 'keys/:id/reissue'],
    ['PATCH', 'passkeys/:id', { name: 'Phone' }],
    ['DELETE', 'passkeys/:id'],
    ['DELETE', 'identities/:id'],
    ['GET', 'account'],
    ['PATCH', 'account', { first_name: 'Grace' }],
    ['POST', 'account/email', { email: 'someone@example.com' }],
    ['POST', 'account/delete', {}],
    ['POST', 'account/restore'],
    ['POST', 'password/change', { current_password: 'x', password: 'nine yellow trumpets' }],
    ['GET', 'billing-details'],
    ['PUT', 'billing-details', { address_line1: '1 Quay', city: 'Leith', country: 'GB' }],
  ] as [Method, string, object?][]
)
  // All rows have the same length, because Jest would pass its `done` callback in place of a missing last column.
  .map(([method, path, body]) => [method, path, body] as const);

describe('account', () => {
  let account: AccountUnderTest;
  let owner: Owner;

  beforeAll(async () => {
    account = await AccountUnderTest.start();
    owner = await account.newOwner();
  });
  afterAll(() => account.stop());

  it('S8: metrics count sign-ups, log-ins and unsent e-mails, and identify nobody', async () => {
    const email = 'ada.metrics@example.com';
    const { accountId } = await account.register(email);
    const logIn = (password: string) =>
      account.dashboard('POST', 'log-in', { body: { email, password } });
    expect((await logIn('not the password')).status).toBe(401);
    expect((await logIn(PASSWORD)).status).toBe(200);
    const scraped = await scrape(account.service.url);
    const actions = (action: string) =>
      scraped.get(`dds_account_actions_total{action="${action}"}`);
    expect(actions('registration.requested')).toBe(1);
    expect(actions('registration.confirmed')).toBe(1);
    expect(actions('session.log-in-failed')).toBe(1);
    expect(actions('session.logged-in')).toBe(1);
    expect(scraped.get('dds_mail_unsent{state="waiting"}')).toBe(0);
    expect(scraped.get('dds_mail_unsent{state="dead"}')).toBe(0);
    const text = [...scraped.keys()].join();
    for (const secret of [email, accountId, '192.0.2']) expect(text).not.toContain(secret);
  });

  it('an unavailable broker is reported, and the service remains ready', async () => {
    const check = jest.spyOn(account.transport, 'check');
    check.mockRejectedValueOnce(new Error('the brokers accept no events'));
    const url = `${account.service.url}/ready`;
    const [during, after] = [await fetch(url), await fetch(url)];
    check.mockRestore();
    expect([during.status, await during.json()]).toEqual([
      200,
      { status: 'degraded', faults: ['broker'] },
    ]);
    expect(await after.json()).toEqual({ status: 'ok', faults: [] });
  });

  it.each(ROUTES)('S86: %s %s requires a session', async (method, path, body) => {
    for (const token of [undefined, 'no token', 'x'.repeat(43)]) {
      const url = path.replace(':id', newId());
      const answer = await account.dashboard(method, url, { token, body });
      expect(answer).toMatchObject({ status: 401, body: { code: 'not_logged_in' } });
    }
  });

  it.each(ROUTES)('S86: %s %s rejects other services', async (method, path, payload) => {
    for (const caller of ['worker', 'billing', 'entitlement'] as const) {
      const { statusCode } = await account.service.app.inject({
        method,
        url: `/internal/dashboard/${path.replace(':id', newId())}`,
        payload,
        headers: {
          authorization: `Bearer ${account.tokenOf(caller)}`,
          'x-session-token': owner.token,
        },
      });
      expect(statusCode).toBe(403);
    }
  });

  it.each(ROUTES.filter(([, path]) => path.includes(':id')))(
    'S85, S89: %s %s answers an unknown or malformed id with 404',
    async (method, path, body) => {
      const ids = [newId(), '0', 'null', '%00', '..%2f..', "' or 1=1 --", newId().toUpperCase()];
      for (const id of ids) {
        const url = path.replace(':id', encodeURIComponent(id));
        const answer = await account.dashboard(method, url, { token: owner.token, body });
        expect([id, answer.status]).toEqual([id, 404]);
      }
    },
  );

  it('S89: a missing or malformed account id is rejected', async () => {
    for (const id of [undefined, '', 'x', "' or 1=1 --", `${newId()} `.repeat(2)]) {
      const answer = await account.service.app.inject({
        method: 'GET',
        url: '/internal/billing-contact',
        headers: {
          authorization: `Bearer ${account.tokenOf('billing')}`,
          ...(id !== undefined && { 'x-account-id': id }),
        },
      });
      expect(answer.statusCode).toBe(400);
    }
  });

  it('S95: a rejection shows no stack, SQL or version', async () => {
    const answers = [
      await account.dashboard('POST', 'keys', { token: owner.token, body: { name: [] } }),
      await account.dashboard('GET', 'keys?cursor=%27%20or%201=1', { token: owner.token }),
      await account.dashboard('GET', 'nothing', { token: owner.token }),
      await account.dashboard('POST', 'log-in', { body: { email: {}, password: 1 } }),
    ];
    for (const { status, body } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(JSON.stringify(body)).not.toMatch(/node_modules|select |at \w+ \(|postgres|version/i);
    }
  });
});
