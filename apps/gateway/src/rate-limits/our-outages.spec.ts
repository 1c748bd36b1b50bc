import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';
import {
  GatewayUnderTest,
  expectProblem,
  live,
} from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];
let apiKey: string;
let accountId: string;

const LIMIT = 3;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
});
afterAll(() => under?.stop());
beforeEach(() => {
  under.forget();
  const added = around.account.addKey();
  apiKey = added.apiKey;
  accountId = added.keyRecord.accountId;
  around.entitlement.limits.set(accountId, LIMIT);
});
afterEach(() => {
  around.entitlement.isDown = false;
});

let asked = 0;
const ask = () => under.ask(live(apiKey, `&domainName=name${asked++}.example`));
const left = ({ headers }: { headers: object }) =>
  Number((headers as Record<string, string>)['x-ratelimit-remaining-requests']);

describe('the rate limit during our outages', () => {
  it.each(['lookup_overloaded', 'service_unavailable'])(
    'ten failures with %s do not count',
    async (code) => {
      around.lookup.answer = () => problemAnswer(503, code, 'unreachable');
      for (let i = 0; i < 10; i++) {
        const refused = await ask();
        expectProblem(refused, 503, code);
        expect(left(refused)).toBe(LIMIT);
      }
      under.forget();
      const after = [await ask(), await ask(), await ask(), await ask()];
      expect(after.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    },
  );

  it('requests that fail because entitlement is unreachable do not count', async () => {
    expect(left(await ask())).toBe(LIMIT - 1);
    const { apiKey: other, keyRecord } = around.account.addKey();
    around.entitlement.limits.set(keyRecord.accountId, LIMIT);
    around.entitlement.balances.set(keyRecord.accountId, 2);
    expect((await under.ask(live(other))).status).toBe(200);
    around.entitlement.leaseMax = 1;
    around.entitlement.isDown = true;
    apiKey = other;
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) statuses.push((await ask()).status);
    expect(statuses).not.toContain(429);
    expect(statuses).toContain(503);
    around.entitlement.leaseMax = 1_000;
  });

  it.each([
    [503, 'upstream_throttled'],
    [503, 'upstream_unreachable'],
    [504, 'upstream_timeout'],
  ])('%d %s counts, because the registry was queried', async (status, code) => {
    around.lookup.answer = () => problemAnswer(status, code, 'throttled');
    for (let i = 0; i < LIMIT; i++) expectProblem(await ask(), status, code);
    expectProblem(await ask(), 429, 'rate_limited');
  });

  it('an outage of lookup does not count for an address without a key', async () => {
    around.lookup.answer = () => problemAnswer(503, 'service_unavailable', 'unreachable');
    const first = await under.ask('/v2.0/tlds');
    const second = await under.ask('/v2.0/tlds');
    expect([first.status, second.status]).toEqual([503, 503]);
    expect([left(first), left(second)]).toEqual([60, 60]);
  });

  it('S122: requests that fail in our outages do not count towards the rate limit, and few of them are logged individually', async () => {
    around.lookup.answer = () => problemAnswer(503, 'service_unavailable', 'unreachable');
    for (let i = 0; i < 100; i++) expectProblem(await ask(), 503, 'service_unavailable');
    under.forget();
    expect((await ask()).status).toBe(200);
    const auditor = await under.database.auditor('gateway');
    const rows = await waitFor('the last row', async () => {
      const sql = 'select status from request_log where account_id = $1';
      const found = await auditor.query<{ status: number }>(sql, [accountId]);
      return found.some(({ status }) => status === 200) ? found : undefined;
    });
    // At most twenty rejections become rows between two counts, and one count may run during the loop.
    expect(rows.length).toBeLessThan(50);
  });

  it('an answer never announces a longer wait than the limit’s window', async () => {
    const { headers } = await ask();
    expect(headers['ratelimit-policy']).toBe('"live";q=3;w=60');
    const seconds = Number(/;t=(\d+)$/.exec(String(headers.ratelimit))?.[1]);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(seconds).toBeGreaterThan(50);
    expect(headers['x-ratelimit-remaining-time']).toBe(`${seconds}000000000`);
  });
});
