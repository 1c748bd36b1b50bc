import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { RequestsAnswer } from '#libs/contracts';
import { type Database, POOL_SIZE, withClient } from '#libs/database';
import { DAY_MS, SECOND_MS, faultsOf, newId } from '#libs/platform';
import { TestClock, waitFor } from '#test/environment';
import { LogMaintenanceRepository } from '../request-log/log-maintenance.repository.js';
import { LogReads } from './log-reads.js';
import { ACCOUNT_ID, DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';
import {
  type Answer,
  GatewayUnderTest,
  expectProblem,
} from '../../../../test/gateway/gateway-under-test.js';

/** The services have the day and hour of the rows, at whatever time this file runs and however long it takes. */
const TODAY = new Date().toISOString().slice(0, 10);
const START = new Date(`${TODAY}T00:00:00Z`);
const clock = new TestClock(`${TODAY}T12:00:00Z`);

let under: GatewayUnderTest;
let dashboard: DashboardUnderTest;
let database: Database;

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, undefined, clock);
  database = await under.database.service('gateway');
  const settings = { GATEWAY_URL: under.gateway.url };
  dashboard = await DashboardUnderTest.start(undefined, settings, clock);
});
afterAll(async () => {
  await dashboard?.stop();
  await under?.stop();
});

const ALLOWANCE = {
  limits: { live: 10, bulk: 2, heavy: 2, account: 60 },
  keys: 1,
  monitors: { domain: 1, brand: 0, registrant: 0 },
};

const BALANCE = {
  spendable: 0,
  reserved: 0,
  recallable: 0,
  pending: 0,
  frozen: 0,
  debt: 0,
  grants: [],
};

interface Inserted {
  keyId?: string;
  status?: number;
  outcome?: string;
  subject?: string;
  at?: Date;
}

async function insertRequests(
  accountId: string,
  count: number,
  operation: string,
  { keyId = accountId, status = 200, outcome = 'delivered', subject, at = START }: Inserted = {},
): Promise<void> {
  await database.query(
    `insert into request_log (at, request_id, account_id, key_id, operation, version, subject, status,
       outcome, credits, duration_ms)
     select $1::timestamptz + n / 2 * interval '1 ms', gen_random_uuid()::text, $2, $5, $4, 2,
       coalesce($8, '<b>' || n || '</b>.example'), $6, $7, 1, 5
     from generate_series(1, $3::int) n`,
    [at, accountId, count, operation, keyId, status, outcome, subject],
  );
}

describe('the requests of a day', () => {
  it('each request is listed once, page after page, and only those of the account and the operation', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey({ scopes: ['account:read'] });
    await insertRequests(keyRecord.accountId, 250, 'whois.live');
    await insertRequests(keyRecord.accountId, 3, 'dns.live');
    await insertRequests(newId(), 5, 'whois.live');
    const ids: string[] = [];
    const totals: unknown[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = cursor && `&cursor=${cursor}`;
      const path = `/v2.0/account/requests?day=${TODAY}&operation=whois.live${page}`;
      const answer = await under.ask(path, { 'x-api-key': apiKey });
      expect([answer.status, faultsOf(RequestsAnswer, answer.json)]).toEqual([200, []]);
      const { requests, paging } = answer.json as unknown as RequestsAnswer;
      ids.push(...requests.map(({ request_id }) => request_id));
      cursor = paging.next_cursor;
      expect(answer.headers.link !== undefined).toBe(paging.has_next);
      totals.push([paging.page, paging.total_records, paging.total_is]);
    }
    expect([ids.length, new Set(ids).size]).toEqual([250, 250]);
    expect(totals).toEqual([
      [1, 101, 'at_least'],
      [2, 201, 'at_least'],
      [3, 250, 'exact'],
    ]);
  });

  it('many slow lists of one account leave connections for other accounts, and some of the lists are rejected', async () => {
    const [slow, other] = [0, 1].map(() =>
      under.around.account.addKey({ scopes: ['account:read'] }),
    );
    const yesterday = new Date(START.getTime() - DAY_MS).toISOString().slice(0, 10);
    await insertRequests(other.keyRecord.accountId, 2, 'whois.live');
    const list = (apiKey: string, query = '') =>
      under.ask(`/v2.0/account/requests?day=${TODAY}${query}`, { 'x-api-key': apiKey });
    const answers: Answer[] = [];
    let asked: Promise<unknown>;
    await withClient(under.database.url(), async (client) => {
      const day = `gateway.request_log_${yesterday.replaceAll('-', '')}`;
      await client.query(`begin; lock table ${day} in access exclusive mode`);
      asked = Promise.all(
        Array.from({ length: POOL_SIZE + 2 }, async () =>
          answers.push(await list(slow.apiKey, `&from=${yesterday}`)),
        ),
      );
      const codes = () => answers.map(({ json }) => json.code);
      await waitFor('a refusal', () => codes().includes('service_unavailable'));
      const { status, json } = await list(other.apiKey);
      expect([status, (json.requests as object[]).length]).toEqual([200, 2]);
      await waitFor('the end of a slow list', () => codes().includes('search_too_heavy'));
    });
    await asked!;
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectProblem(answer, 503, String(answer.json.code));
    }
    expect((await list(slow.apiKey, `&from=${yesterday}`)).status).toBe(200);
  });

  it('each new day has an index of its rejected requests', async () => {
    const maintenance = await under.database.maintenance('gateway');
    await maintenance.query(`select roll_partitions('2040-05-01T00:00:00Z')`);
    const [{ count }] = await database.query<{ count: number }>(
      `select count(*)::int from pg_indexes
       where tablename = 'request_log_20400502' and indexdef like '%(account_id, at DESC) WHERE (status >= 400)'`,
    );
    expect(count).toBe(1);
  });

  it('S89: a day or cursor that the database cannot read is rejected before the query', async () => {
    const { apiKey } = under.around.account.addKey({ scopes: ['account:read'] });
    const cursorOf = (...values: string[]) =>
      Buffer.from(JSON.stringify(values)).toString('base64url');
    for (const query of [
      'day=0000-01-01',
      'day=9999-12-31',
      `day=${TODAY}&cursor=bm9uc2Vuc2U`,
      `day=${TODAY}&cursor=${cursorOf('+275760-09-13T00:00:00.000Z', 'req_1')}`,
      `day=${TODAY}&cursor=${cursorOf('-000001-01-01T00:00:00.000Z', 'req_1')}`,
      `day=${TODAY}&cursor=${cursorOf('0000-01-01T00:00:00.000Z', 'req_1')}`,
      `day=${TODAY}&cursor=${cursorOf(`${TODAY}T00:00:00.000Z`, 'req_\u0000')}`,
    ]) {
      const answer = await under.ask(`/v2.0/account/requests?${query}`, { 'x-api-key': apiKey });
      expectProblem(answer, 400, 'invalid_request');
    }
  });

  it('S86: a session lists only its own account’s requests, as a call and as a page that escapes them', async () => {
    await insertRequests(ACCOUNT_ID, 101, 'whois.live');
    const { cookie } = dashboard;
    const path = `requests?day=${TODAY}&operation=whois.live`;
    const called = await dashboard.send('GET', `/api/${path}`, { cookie });
    const answer = JSON.parse(called.body.toString()) as RequestsAnswer;
    expect([called.status, answer.requests.length, answer.paging.has_next]).toEqual([
      200,
      100,
      true,
    ]);
    expect((await dashboard.send('GET', `/api/${path}`)).status).toBe(401);
    const shown = (await dashboard.send('GET', `/${path}`, { cookie })).body.toString();
    expect(shown).toContain('&lt;b&gt;101&lt;/b&gt;.example');
    expect(shown).not.toContain('<b>101');
    const [, next] = /href="([^"]+cursor=[^"]+)"/.exec(shown) ?? [];
    const last = await dashboard.send('GET', next.replaceAll('&amp;', '&'), { cookie });
    expect(last.body.toString()).toContain('&lt;b&gt;1&lt;/b&gt;.example');
    expect((await dashboard.send('GET', '/requests?day=yesterday', { cookie })).status).toBe(400);
  });

  it('usage by key is listed per key, counts failures, and can be downloaded as CSV', async () => {
    const mine = newId();
    dashboard.session = { ...dashboard.session, accountId: mine };
    await insertRequests(mine, 3, 'whois.live');
    await insertRequests(mine, 2, 'dns.live', { keyId: newId(), status: 429 });
    const keyId = newId();
    await insertRequests(mine, 1, 'dns.live', { keyId });
    // The key is not among the newest, so it is read singly.
    const path = 'GET /internal/dashboard/keys';
    dashboard.answers.set(path, { keys: [], paging: { next_cursor: 'older' } });
    const key = { id: keyId, name: 'Old key', masked: 'dds_live_…a1B2' };
    dashboard.answers.set(`${path}/${keyId}`, key);
    const { cookie } = dashboard;
    const read = async (path: string) => {
      const { status, body, headers } = await dashboard.send('GET', path, { cookie });
      return { status, text: body.toString(), type: headers['content-type'] };
    };
    const maintenance = await under.database.maintenance('gateway');
    const hours = new LogMaintenanceRepository(maintenance);
    await hours.countNewRows();
    const days = `from=${TODAY}&to=${TODAY}`;
    const csv = await read(`/usage.csv?by=key&${days}`);
    expect(csv).toMatchObject({ status: 200, type: 'text/csv; charset=utf-8' });
    expect(csv.text.split('\r\n').toSorted()).toEqual([
      '',
      `${TODAY},Dashboard,3,0,3`,
      `${TODAY},Old key (dds_live_…a1B2),1,0,1`,
      `${TODAY},another key,2,2,2`,
      'day,key,requests,failed,credits',
    ]);
    const page = await read(`/usage?by=key&${days}`);
    expect(page.text).toContain(`<title>${TODAY}, Dashboard: 3</title>`);
    expect(page.text).toContain('aria-label="Requests a day, 6 at most"');
    await insertRequests(mine, 1, 'whois.live');
    await hours.countNewRows();
    expect((await read(`/usage.csv?by=key&${days}`)).text).toContain(`${TODAY},Dashboard,4,0,4`);
    expect((await read('/usage?by=key&from=2025-01-01&to=2026-03-01')).text).toContain(
      'The first day must be less than 366 days before',
    );
    expect((await read('/usage?from=2026-02-30')).status).toBe(400);
  });

  it('usage by key includes requests from before hourly counts existed, and those of the last hours, once each', async () => {
    const mine = newId();
    dashboard.session = { ...dashboard.session, accountId: mine };
    await insertRequests(mine, 1, 'whois.live');
    const maintenance = await under.database.maintenance('gateway');
    await maintenance.query(
      `update counted_key_hours set snapshot = pg_current_snapshot(), first_snapshot = pg_current_snapshot(),
         highest = last, first_highest = last from (select max(written_by) as last from request_log) logged`,
    );
    const path = `/usage.csv?by=key&from=${TODAY}&to=${TODAY}`;
    const read = async () =>
      (await dashboard.send('GET', path, { cookie: dashboard.cookie })).body.toString();
    expect(await read()).toContain(`${TODAY},Dashboard,1,0,1`);
    const at = new Date(clock.now().getTime() - SECOND_MS);
    await insertRequests(mine, 2, 'whois.live', { at });
    expect(await read()).toContain(`${TODAY},Dashboard,3,0,3`);
    dashboard.answers.set('GET /internal/overview', {
      balance: BALANCE,
      allowance: ALLOWANCE,
      changes: { days: [] },
    });
    const open = async (page: string) =>
      (await dashboard.send('GET', page, { cookie: dashboard.cookie })).body.toString();
    expect(await open('/usage')).toMatch(
      /At least half of the \d+ answers arrived within 100 ms, the slowest within/,
    );
    const lookups = /Live requests a minute<[\s\S]*?<\/tr>/.exec(await open('/'))![0];
    expect(lookups.match(/\d+(?=\s*<\/td)/g)?.map(Number)).toEqual([10, 2, 8, 2]);
    await new LogMaintenanceRepository(maintenance).countNewRows();
    expect(await read()).toContain(`${TODAY},Dashboard,3,0,3`);
  });

  it('the page lists the requests of one key and one status, each with its id', async () => {
    const mine = newId();
    dashboard.session = { ...dashboard.session, accountId: mine };
    await insertRequests(mine, 3, 'whois.live');
    await insertRequests(mine, 2, 'dns.live', { keyId: newId(), status: 429 });
    const read = async (query: string) => {
      const { cookie } = dashboard;
      const { body } = await dashboard.send('GET', `/requests${query}`, { cookie });
      const text = body.toString();
      return { text, ids: [...text.matchAll(/<code class="quiet">([0-9a-f-]{36})</g)] };
    };
    const all = await read('');
    expect([all.ids.length, all.text]).toEqual([5, expect.stringContaining('All operations, 20')]);
    for (const [filter, count] of [
      [`key_id=${mine}`, 3],
      ['status=429', 2],
      ['status=4xx', 2],
      ['status=2xx', 3],
      ['operation=dns.live&status=2xx', 0],
      ['operation=&key_id=&status=', 5],
    ] as const) {
      expect([filter, (await read(`?day=${TODAY}&${filter}`)).ids.length]).toEqual([filter, count]);
    }
    const [[, id]] = all.ids;
    for (const [filter, count] of [
      ['subject=%3Cb%3E1%3C%2Fb%3E.example', 2],
      ['subject=nobody.example', 0],
      [`request_id=${id}`, 1],
      ['charged=true', 5],
      ['charged=false', 0],
    ] as const) {
      expect([filter, (await read(`?day=${TODAY}&${filter}`)).ids.length]).toEqual([filter, count]);
    }
    expect((await read('?status=503')).text).toContain('Show all requests of these days');
    expect((await read('?day=2026-01-01')).text).toContain('No request was made on 2026-01-01');
    for (const wrong of ['status=abc', 'status=9xx', 'key_id=1', 'day=2026-02-30']) {
      expect([wrong, (await read(`?${wrong}`)).text]).toEqual([
        wrong,
        expect.stringContaining('invalid_request'),
      ]);
    }
  });

  it('S102: a download of 1,500 requests takes two reads, and has each request once', async () => {
    const mine = newId();
    dashboard.session = { ...dashboard.session, accountId: mine };
    await insertRequests(mine, 1_500, 'whois.live');
    const read = jest.spyOn(LogReads.prototype, 'query');
    const { body } = await dashboard.send('GET', '/requests.csv', { cookie: dashboard.cookie });
    const reads = read.mock.calls.length;
    read.mockRestore();
    const ids = body.toString().trim().split('\r\n').slice(1);
    expect([reads, new Set(ids).size]).toEqual([2, 1_500]);
  });

  it('several days form one list; each request has a page with its outcome and the call to repeat it', async () => {
    const mine = newId();
    dashboard.session = { ...dashboard.session, accountId: mine };
    const bulk = { operation: 'whois.bulk', subject: 'a_b.example, c.example' };
    await insertRequests(mine, 2, 'whois.live', { at: new Date(START.getTime() - DAY_MS) });
    await insertRequests(mine, 1, bulk.operation, { subject: bulk.subject });
    const at = new Date(START.getTime() + SECOND_MS);
    await insertRequests(mine, 1, 'dns.live', { status: 504, outcome: 'timeout', at });
    const read = async (path: string) => {
      const { status, body } = await dashboard.send('GET', path, { cookie: dashboard.cookie });
      return { status, text: body.toString() };
    };
    const from = new Date(clock.now().getTime() - DAY_MS).toISOString().slice(0, 10);
    const rows = (await read(`/requests.csv?from=${from}&day=${TODAY}`)).text.split('\r\n');
    expect([rows.length, rows[0].slice(0, 16)]).toEqual([6, 'at,request_id,ke']);
    expect((await read(`/requests.csv?day=${TODAY}`)).text.split('\r\n').length).toBe(4);
    const found = async (subject: string) =>
      (await read(`/requests?subject=${subject}`)).text.match(/href="\/requests\/[^"]+"/g) ?? [];
    expect((await found('c.example')).length).toBe(1);
    expect(await found('aXb.example')).toEqual([]);
    const [link] = await found('a_b.example');
    const page = await read(link!.slice(6, -1));
    expect(page.text).toContain('a_b.example, c.example');
    expect(page.text).toContain(
      '&quot;domainNames&quot;:[&quot;a_b.example&quot;,&quot;c.example&quot;]',
    );
    const refused = rows.find((row) => row.includes('dns.live'))!.split(',')[1];
    const shown = await read(`/requests/${refused}`);
    expect(shown.text).toContain('https://api.example/errors/resolver_timeout');
    expect((await read(`/requests/${newId()}`)).status).toBe(404);
    const tail = JSON.parse((await read('/requests/tail')).text) as { rows: object[] };
    expect(tail.rows).toMatchObject([{ operation: 'dns.live' }, { operation: 'whois.bulk' }]);
    for (const wrong of [`from=${TODAY}&day=${from}`, 'from=2026-01-01&day=2026-03-01']) {
      expect([wrong, (await read(`/requests?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });
});
