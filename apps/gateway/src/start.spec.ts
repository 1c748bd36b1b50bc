import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { request } from 'undici';
import { AuditorDatabase, withClient } from '#libs/database';
import { freePorts } from '#libs/platform';
import { TestDatabase, waitFor } from '#test/environment';
import { GatewayConfig } from './gateway.config.js';
import { PublicListener } from './listener/public-listener.js';
import { GatewayHarness } from '../../../test/stand-ins/gateway-harness.js';

const AWAY = 'http://127.0.0.1:1';

describe('readiness and start of a gateway', () => {
  let database: TestDatabase;
  let around: GatewayHarness;

  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
  });

  afterAll(async () => {
    await around?.stop();
    await database?.drop();
  });

  it('S22: a start with a public origin and no trusted proxy logs a warning', async () => {
    await around.startGateway({ BASE_URL: 'https://api.example.org' });
    expect(around.logged).toContain('GATEWAY_TRUSTED_PROXIES is not set');
  });

  it('a time limit of lookups is rejected if leases of credits do not outlast it', async () => {
    const start = around.startGateway({ GATEWAY_LOOKUP_TIMEOUT_MS: '60000' });
    await expect(start).rejects.toThrow('GATEWAY_LOOKUP_TIMEOUT_MS');
  });

  it('no faults are reported if every part works', async () => {
    const { url } = await around.startGateway();
    expect(await readinessOf(url)).toEqual([200, { status: 'ok', faults: [] }]);
  });

  it('a start does not wait for a lock on the request log, and its rows are written afterwards', async () => {
    await withClient(database.url(), async (client) => {
      await client.query('begin');
      await client.query(
        // The locks are taken in the order in which the previous gateway's roll-up takes them.
        'lock gateway.request_hours, gateway.request_log in access exclusive mode',
      );
      const gateway = await around.startGateway();
      const { apiKey, keyRecord } = around.account.addKey();
      const answer = await request(`${gateway.apiUrl}/v2.0/whois/live?domainName=a.example`, {
        headers: { 'x-api-key': apiKey },
      });
      expect(answer.statusCode).toBe(200);
      await answer.body.dump();
      await client.query('rollback');
      await waitFor('the row of the request', async () => {
        const { rows } = await client.query(
          'select from gateway.request_log where account_id = $1',
          [keyRecord.accountId],
        );
        return rows.length === 1;
      });
    });
  });

  it('a new connection of the auditor uses the current URL, and its statements may take two minutes', async () => {
    const { app } = await around.startGateway();
    const changed = new URL(database.url('gateway_auditor'));
    changed.searchParams.set('application_name', 'changed');
    app.get(GatewayConfig, { strict: false }).auditorDatabaseUrl = changed.href;
    await withClient(database.url(), async (client) => {
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'gateway auditor'`);
    });
    const auditor = app.get(AuditorDatabase, { strict: false });
    const settings = `select current_setting('application_name') as name,
      current_setting('statement_timeout') as limit`;
    await waitFor('a new connection', async () => {
      const [found] = await auditor.query(settings).catch(() => []);
      return isDeepStrictEqual(found, { name: 'changed', limit: '2min' });
    });
  });

  it('the gateway is ready only when the public listener accepts connections', async () => {
    const [internal] = await freePorts(1);
    const readiness = () => statusOf(`http://127.0.0.1:${internal}/ready`);
    let before: number | undefined;
    const { open } = PublicListener.prototype;
    // The replaced method requests readiness while the listener opens.
    const opening = jest.spyOn(PublicListener.prototype, 'open');
    opening.mockImplementation(async function (this: PublicListener) {
      before = await readiness();
      return open.call(this);
    });
    await around.startGateway({ GATEWAY_INTERNAL_PORT: String(internal) });
    opening.mockRestore();
    expect([before, await readiness()]).toEqual([503, 200]);
  });

  it('an unreachable Valkey or service is reported, and the gateway remains ready', async () => {
    const { url } = await around.startGateway({
      VALKEY_URL: 'redis://127.0.0.1:1',
      LOOKUP_URL: AWAY,
      ACCOUNT_URL: AWAY,
    });
    const faults = expect.arrayContaining(['counters', 'lookup', 'account']);
    expect(await readinessOf(url)).toEqual([200, { status: 'degraded', faults }]);
  });
});

async function readinessOf(url: string): Promise<[status: number, body: unknown]> {
  const { statusCode, body } = await request(`${url}/ready`);
  return [statusCode, await body.json()];
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  const { statusCode, body } = await request(url, { headers });
  await body.dump();
  return statusCode;
}
