import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Agent, request } from 'undici';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import { CallsUnderWay } from './calls-under-way.js';

const AT_ONCE = 6;
const IN_WORK = 2;

let under: DashboardUnderTest;
const agent = new Agent({ connections: null });

beforeAll(async () => {
  under = await DashboardUnderTest.start();
});
afterAll(async () => {
  await agent.destroy();
  await under?.stop();
});

beforeEach(() => under.forget());

it.each([
  ['billing, which waits for a processor', '/api/subscriptions'],
  ['account, where each waits for the previous one', '/api/keys'],
])(
  'S102: concurrent calls of one account to %s are limited, and only two are processed at once, so that other accounts’ calls get through',
  async (_owner, path) => {
    const call = (signal?: AbortSignal) => {
      const headers = { host: 'dashboard.example', cookie: under.cookie };
      return request(`${under.url}${path}`, { headers, signal, dispatcher: agent });
    };
    under.isSilent = true;
    const enter = jest.spyOn(CallsUnderWay.prototype, 'enter');
    const leaving = new AbortController();
    const waiting = Array.from({ length: AT_ONCE }, () =>
      call(leaving.signal).catch((error: unknown) => error),
    );
    await waitFor('the calls to be counted', () => enter.mock.calls.length === AT_ONCE);
    enter.mockRestore();
    const refused = await call();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(await refused.body.json()).toMatchObject({ code: 'too_busy', retryable: true });
    await waitFor('two calls to reach their owner', () => under.arrived.length >= IN_WORK);
    under.isSilent = false;
    const { session } = under;
    under.session = { ...session, accountId: newId() };
    expect((await call()).statusCode).toBe(200);
    // A call that did not wait would have arrived before this one.
    expect(under.arrived).toHaveLength(IN_WORK + 1);
    under.session = session;
    leaving.abort();
    await Promise.all(waiting);
    await waitFor('the abandoned calls to be no longer counted', async () => {
      const { statusCode, body } = await call();
      await body.dump();
      return statusCode === 200;
    });
  },
);
