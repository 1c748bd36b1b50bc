import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ACCOUNT_USAGE, UsageAnswer, type UsageDay } from '#libs/contracts';
import { Database, POOL_SIZE, withClient } from '#libs/database';
import { DAY_MS, faultsOf, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { LogMaintenanceRepository } from '../request-log/log-maintenance.repository.js';
import { RequestLogRepository } from '../request-log/request-log.repository.js';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';
import { LogReads } from './log-reads.js';
import { UsageRepository } from './usage.repository.js';

let under: GatewayUnderTest;
let around: GatewayUnderTest['around'];

beforeAll(async () => {
  under = await GatewayUnderTest.start();
  around = under.around;
});
afterAll(() => under?.stop());
beforeEach(() => under.forget());

const SCOPES = ['whois', 'account:read'] as const;
const usage = (apiKey: string, query = '') =>
  under.ask(`/v2.0/account/usage?${query}`, { 'x-api-key': apiKey });
const look = (apiKey: string, name: string) =>
  under.ask(`/v2.0/whois/live?domainName=${name}`, { 'x-api-key': apiKey });

describe('usage of an account', () => {
  it('every request of the account is counted once, with its credits, and no request of another account', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: [...SCOPES] });
    const { apiKey: other } = around.account.addKey({ scopes: [...SCOPES] });
    for (const name of ['a.example', 'b.example', 'a.example']) await look(apiKey, name);
    await look(apiKey, '');
    await look(other, 'c.example');
    const rows = await under.logRows(keyRecord.accountId, 4);
    const answer = await usage(apiKey);
    expect(answer.status).toBe(200);
    expect(faultsOf(UsageAnswer, answer.json)).toEqual([]);
    expect(answer.json.totals).toEqual({ requests: 4, credits: 2 });
    // If midnight falls between the requests, there are two days.
    const days = [...new Set(rows.map(({ at }) => (at as Date).toISOString().slice(0, 10)))];
    const told = answer.json.days as UsageDay[];
    expect(told.map(({ date }) => date).toSorted()).toEqual(days);
    expect(new Set(told.map(({ operation }) => operation))).toEqual(new Set(['whois.live']));
    const sum = (figure: 'requests' | 'credits') =>
      told.reduce((total, day) => total + day[figure], 0);
    expect([sum('requests'), sum('credits')]).toEqual([4, 2]);
    const today = new Date().toISOString().slice(0, 10);
    expect([days.at(-1), today]).toContain(answer.json.to);
    expect(answer.headers).toMatchObject({
      'x-credits-cost': '0',
      'ratelimit-policy': expect.stringMatching(/^"account";/),
    });
  });

  it('usage includes jobs and monitors, and fails if entitlement is unavailable', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: [...SCOPES] });
    await look(apiKey, 'a.example');
    const [{ at }] = await under.logRows(keyRecord.accountId, 1);
    const date = (at as Date).toISOString().slice(0, 10);
    around.entitlement.work.set(keyRecord.accountId, [
      { date, operation: 'jobs.whois', credits: 60 },
      { date, operation: 'monitors.checks', credits: 4 },
    ]);
    const { json } = await usage(apiKey, `from=${date}&to=${date}`);
    expect(faultsOf(UsageAnswer, json)).toEqual([]);
    expect(json.totals).toMatchObject({ credits: 65 });
    const none = { date, requests: 0, failed: 0 };
    expect(json.days).toEqual(
      expect.arrayContaining([
        { ...none, operation: 'jobs.whois', credits: 60 },
        { ...none, operation: 'monitors.checks', credits: 4 },
        { ...none, operation: 'whois.live', requests: 1, credits: 1 },
      ]),
    );
    around.entitlement.isDown = true;
    const refused = await usage(apiKey);
    around.entitlement.isDown = false;
    expectProblem(refused, 503, 'service_unavailable');
  });

  it('a request for the usage is itself counted', async () => {
    const { apiKey } = around.account.addKey({ scopes: [...SCOPES] });
    await usage(apiKey);
    await waitFor('the first request to be logged', async () => {
      const { json } = await usage(apiKey);
      return (json.days as { operation: string }[]).some(
        ({ operation }) => operation === ACCOUNT_USAGE.name,
      );
    });
  });

  it('503: a read that exceeds the time limit may be retried, and a read that never started does not count', async () => {
    const keys = Array.from({ length: POOL_SIZE + 3 }, () =>
      around.account.addKey({ scopes: [...SCOPES] }),
    );
    const refused = await withClient(under.database.url(), async (client) => {
      await client.query('begin; lock table gateway.request_hours in access exclusive mode');
      return Promise.all(keys.map(async ({ apiKey }) => usage(apiKey)));
    });
    for (const [index, { apiKey }] of keys.entries()) {
      const { code } = refused[index].json;
      expect(['search_too_heavy', 'service_unavailable']).toContain(code);
      expectProblem(refused[index], 503, String(code));
      const { status, headers } = await usage(apiKey);
      expect(status).toBe(200);
      const counted = code === 'service_unavailable' ? 1 : 2;
      const left = Number(headers['x-ratelimit-allowed-requests']) - counted;
      expect(headers['x-ratelimit-remaining-requests']).toBe(String(left));
    }
  });

  it('each request is counted once, before and after the hourly roll-up', async () => {
    const { apiKey, keyRecord } = around.account.addKey({ scopes: [...SCOPES] });
    const owner = await Database.open({
      url: under.database.url('gateway_maintenance'),
      applicationName: 'roll-up of a test',
      poolSize: 1,
    });
    const [{ hour }] = await owner.query<{ hour: Date }>(
      `insert into request_hours
       values ($1, date_trunc('hour', $2::timestamptz), 'whois.live', 200, 7, 5) returning hour`,
      [keyRecord.accountId, new Date(Date.now() - 5 * 3_600_000)],
    );
    const from = `from=${hour.toISOString().slice(0, 10)}`;
    await look(apiKey, 'a.example');
    await under.logRows(keyRecord.accountId, 1);
    expect((await usage(apiKey, from)).json.totals).toEqual({ requests: 8, credits: 6 });
    await new LogMaintenanceRepository(owner).countNewRows();
    await look(apiKey, 'b.example');
    // There are three requests: the two lookups and the request for the usage between them.
    await under.logRows(keyRecord.accountId, 3);
    expect((await usage(apiKey, from)).json.totals).toEqual({ requests: 10, credits: 7 });
    await owner.close();
  });

  it('a row that a dump brought from a server with higher transaction ids is not counted again', async () => {
    const [accountId, now] = [newId(), new Date()];
    await withClient(under.database.url(), async (client) => {
      await client.query(
        `insert into gateway.request_log values ($1, 'req_restored', $2, $2, 'whois.live', 2, 'a.example', 200,
           'delivered', 1, 5, pg_current_xact_id()::text::bigint + 1000000)`,
        [now, accountId],
      );
      for (const counted of ['counted_requests', 'counted_key_hours']) {
        await client.query(
          `update gateway.${counted} set highest = last, snapshot = concat_ws(':', last + 1, last + 1, '')::pg_snapshot
           from (select max(written_by) as last from gateway.request_log) restored`,
        );
      }
    });
    const owner = await under.database.maintenance('gateway');
    for (let run = 0; run < 3; run++) await new LogMaintenanceRepository(owner).countNewRows();
    const usages = new UsageRepository(new LogReads(await under.database.service('gateway')));
    const [from, until] = [-DAY_MS, DAY_MS].map((ms) => new Date(now.getTime() + ms));
    expect(await usages.listDays(accountId, { from, until, now })).toEqual([]);
    expect(await usages.listKeyDays(accountId, { from, until, now })).toEqual([]);
  });

  it('requests count towards their UTC day, even if the database has another time zone', async () => {
    const [accountId, day] = [newId(), new Date().toISOString().slice(0, 10)];
    const midnight = new Date(`${day}T00:00:00Z`);
    const of = { accountId, keyId: accountId, operation: 'whois.live', version: 2, requests: 1 };
    const database = await under.database.service('gateway');
    await new RequestLogRepository(database).insertCounted(
      [{ ...of, status: 402, outcome: 'insufficient_credits' }],
      midnight,
    );
    const url = under.database.url('gateway_maintenance');
    const owner = await Database.open({
      url: url.replace('options=', 'options=-ctimezone%3DAsia%2FKolkata+'),
      applicationName: 'roll-up of a test',
      poolSize: 1,
    });
    await new LogMaintenanceRepository(owner).countNewRows();
    await owner.close();
    const [from, until] = [-DAY_MS, DAY_MS].map((ms) => new Date(midnight.getTime() + ms));
    const usages = new UsageRepository(new LogReads(database));
    const stretch = { from, until, now: until };
    expect(await usages.listDays(accountId, stretch)).toMatchObject([{ date: day }]);
    expect(await usages.listKeyDays(accountId, stretch)).toMatchObject([{ date: day }]);
  });

  it('the requests of each minute include all rejections that one row counts, except those that no rate limit counts', async () => {
    const database = await under.database.service('gateway');
    const [accountId, keyId, now] = [newId(), newId(), new Date()];
    const of = { accountId, keyId, operation: 'whois.live', version: 2, requests: 30 };
    const refusals = [
      { ...of, status: 402, outcome: 'insufficient_credits' },
      { ...of, status: 403, outcome: 'scope_denied' },
      { ...of, status: 429, outcome: 'rate_limited' },
      { ...of, status: 503, outcome: 'class_busy' },
    ];
    await new RequestLogRepository(database).insertCounted(refusals, now);
    const { minutes } = await new UsageRepository(new LogReads(database)).listDaysAndMinutes(
      accountId,
      { from: now, until: now, now },
    );
    expect(minutes).toEqual([{ minute: 0, operation: 'whois.live', requests: 30 }]);
  });

  it('a key without the scope is rejected', async () => {
    const { apiKey } = around.account.addKey();
    expectProblem(await usage(apiKey), 403, 'scope_denied');
  });

  it.each([
    ['from=2026-02-30', 'from'],
    ['from=2026-11-02&to=2026-11-01', 'from'],
    ['from=2024-01-01&to=2026-01-01', 'from'],
    ['to=yesterday', 'to'],
  ])('400: %s names %s', async (query, field) => {
    const { apiKey } = around.account.addKey({ scopes: [...SCOPES] });
    const answer = await usage(apiKey, query);
    expectProblem(answer, 400, 'invalid_request');
    expect(answer.json.errors).toMatchObject([{ field }]);
  });
});
