import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { scrape, waitFor } from '#test/environment';
import { DashboardUnderTest } from '../../../../test/dashboard/dashboard-under-test.js';

const JSON_TYPE = 'application/json';
const LOG_IN = '{"email":"ada@example.com","password":"a sentence is fine"}';

let dashboard: DashboardUnderTest;

beforeAll(async () => {
  // An address where no service listens.
  dashboard = await DashboardUnderTest.start(undefined, {
    BILLING_INTERNAL_URL: 'http://127.0.0.1:1',
  });
});
afterAll(() => dashboard.stop());

async function logIn(status: number, body: object, headers = {}): Promise<number> {
  dashboard.answer = { status, type: JSON_TYPE, headers, body: Buffer.from(JSON.stringify(body)) };
  const sent = { ...dashboard.ours, 'content-type': JSON_TYPE };
  return (await dashboard.send('POST', '/api/log-in', sent, LOG_IN)).status;
}

async function samplesOf(metric: string): Promise<Record<string, number>> {
  const samples = [...(await scrape(dashboard.internalUrl))];
  const own = samples.filter(([name]) => name.startsWith(`${metric}{`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(metric.length), value]));
}

it('S8: requests, log-ins and calls to other services are counted, with labels that do not identify anyone', async () => {
  const { ours } = dashboard;
  const refused = { code: 'wrong_credentials', status: 401, detail: '' };
  expect(await logIn(401, refused)).toBe(401);
  expect(await logIn(200, {}, { 'x-set-session': 's'.repeat(43) })).toBe(200);
  expect(await logIn(500, { code: 'internal_error', status: 500, detail: '' })).toBe(500);
  dashboard.forget();
  const signed = { 'content-type': JSON_TYPE, 'stripe-signature': 't=1,v1=00' };
  expect((await dashboard.send('POST', '/callbacks/stripe', signed, '{}')).status).toBe(503);
  expect((await dashboard.send('GET', '/log-in')).status).toBe(200);
  expect((await dashboard.send('GET', '/nowhere/at-all', ours)).status).toBe(404);

  const requests = {
    '{kind="call",status="401"}': 1,
    '{kind="call",status="200"}': 1,
    '{kind="call",status="500"}': 1,
    '{kind="callback",status="503"}': 1,
    '{kind="page",status="200"}': 1,
    '{kind="unknown",status="404"}': 1,
  };
  // An answer is counted only after its last byte has been sent, so the client may already have it.
  await waitFor('the last request to be counted', async () => {
    const counted = Object.values(await samplesOf('dds_dashboard_requests_total'));
    return counted.length === Object.keys(requests).length;
  });
  expect(await samplesOf('dds_dashboard_requests_total')).toEqual(requests);
  expect(await samplesOf('dds_dashboard_request_seconds_count')).toMatchObject({
    '{kind="call"}': 3,
    '{kind="page"}': 1,
  });
  expect(await samplesOf('dds_dashboard_log_ins_total')).toEqual({
    '{outcome="wrong_credentials"}': 1,
    '{outcome="begun"}': 1,
  });
  expect(await samplesOf('dds_dashboard_owner_calls_total')).toMatchObject({
    '{service="account",outcome="refused"}': 1,
    '{service="account",outcome="failed"}': 1,
    '{service="billing",outcome="failed"}': 1,
  });
});
