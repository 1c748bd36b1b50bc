import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestDatabase, scrape, waitFor } from '#test/environment';
import { GatewayHarness } from '../../../../test/stand-ins/gateway-harness.js';
import { problemAnswer } from '../../../../test/stand-ins/lookup-stand-in.js';
import type { RunningGateway } from '../start.js';

const LIVE = 'operation="whois.live",class="live"';

describe('metrics of a gateway', () => {
  let database: TestDatabase;
  let around: GatewayHarness;
  let gateway: RunningGateway;

  beforeAll(async () => {
    database = await TestDatabase.create();
    around = new GatewayHarness(database);
    await around.start();
    gateway = await around.startGateway();
  });
  afterAll(async () => {
    await around?.stop();
    await database?.drop();
  });

  const ask = async (apiKey: string, domainName: string, version = 2) => {
    const path = version === 2 ? '/v2.0/whois/live?' : '/v1.0/whois?whois=live&';
    const answer = await fetch(`${gateway.apiUrl}${path}apiKey=${apiKey}&domainName=${domainName}`);
    await answer.text();
    return answer.status;
  };

  it('S8: metrics match real traffic exactly, and no label contains a key, a name, an address or an id', async () => {
    const { apiKey, keyRecord } = around.account.addKey();
    const answer = around.lookup.answer;
    for (let n = 0; n < 5; n++) expect(await ask(apiKey, `name-${n}.example`)).toBe(200);
    expect(await ask(apiKey, 'name-0.example', 1)).toBe(200);
    around.lookup.answer = () => problemAnswer(503, 'upstream_throttled', 'throttled');
    expect(await ask(apiKey, 'throttled.example')).toBe(503);
    around.lookup.answer = answer;
    expect(await ask('dds_live_nobody', 'name.example')).toBe(401);
    expect(await ask('dds_live_nobody', 'name.example')).toBe(401);

    const scraped = await scrape(gateway.url);
    const value = (name: string) => scraped.get(name);
    expect(value(`dds_gateway_requests_total{${LIVE},version="2",status="200"}`)).toBe(5);
    expect(value(`dds_gateway_requests_total{${LIVE},version="2",status="401"}`)).toBe(2);
    expect(value(`dds_gateway_requests_total{${LIVE},version="2",status="503"}`)).toBe(1);
    expect(value(`dds_gateway_requests_total{${LIVE},version="1",status="200"}`)).toBe(1);
    expect(value(`dds_gateway_request_seconds_count{${LIVE},version="2"}`)).toBe(8);
    expect(value(`dds_gateway_request_seconds_bucket{${LIVE},version="2",le="+Inf"}`)).toBe(8);
    expect(value('dds_gateway_refusals_total{code="invalid_api_key"}')).toBe(2);
    expect(value('dds_gateway_refusals_total{code="upstream_throttled"}')).toBe(1);
    expect(value('dds_gateway_requests_in_flight')).toBe(0);
    expect(value('dds_gateway_lease_reservations_total{result="miss"}')).toBe(1);
    expect(value('dds_gateway_lease_reservations_total{result="hit"}')).toBe(6);
    expect(value('dds_gateway_lease_requests_total{outcome="granted"}')).toBe(1);
    expect(value('dds_gateway_open_leases')).toBe(1);
    expect(value('dds_gateway_cached_keys')).toBe(1);
    expect(value('dds_gateway_rate_limiter_mode{mode="memory"}')).toBe(1);
    expect(value('dds_gateway_journal_bytes')).toBeGreaterThan(0);
    expect(value('dds_gateway_feed_age_seconds{source="account"}')).toBeLessThan(30);
    expect(value('dds_database_waiting{pool="gateway"}')).toBe(0);

    const text = [...scraped.keys()].join('\n');
    for (const secret of [
      apiKey,
      'dds_live',
      keyRecord.accountId,
      keyRecord.keyId,
      'example',
      '127.0',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('no credits count as unsettled once entitlement has acknowledged them', async () => {
    const { apiKey } = around.account.addKey();
    expect(await ask(apiKey, 'settled.example')).toBe(200);
    await waitFor('the settlement', async () => {
      return (await scrape(gateway.url)).get('dds_gateway_unsettled_credits') === 0;
    });
  });

  it('the public listener has no metrics', async () => {
    const answer = await fetch(`${gateway.apiUrl}/metrics`, { redirect: 'manual' });
    expect(answer.status).not.toBe(200);
    expect(await answer.text()).not.toContain('dds_gateway');
  });
});
