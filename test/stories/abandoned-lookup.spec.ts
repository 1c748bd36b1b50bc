import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../gateway/gateway-under-test.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { RegistryWorld } from './registry-world.js';

describe('a lookup', () => {
  let world: RegistryWorld;
  let under: GatewayUnderTest;

  beforeAll(async () => {
    world = new RegistryWorld({ secret: HARNESS_SECRET });
    await world.start();
    under = await GatewayUnderTest.start({ LOOKUP_URL: world.url });
  });
  afterAll(async () => {
    await under?.stop();
    await world?.stop();
  });

  // Lookup accepts only current tokens, and the gateway issues them in real time.
  beforeEach(() => world.clock.set(new Date()));

  const live = (name: string, query = '') => `/v2.0/whois/live?domainName=${name}${query}`;

  it('whose client disconnects ends its query to the registry, caches nothing, costs nothing, and counts towards the rate limit', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    const name = 'silent-shop.de';
    const key = { 'x-api-key': apiKey };
    for (const nth of [1, 2, 3]) {
      const client = new AbortController();
      const asked = request(under.url + live(name), { headers: key, signal: client.signal });
      // Each lookup starts from scratch, because the previous one was abandoned together with its results.
      await waitFor(`the registry to be queried ${nth} times`, () => world.asked(name) === nth);
      client.abort();
      await expect(asked).rejects.toThrow();
    }
    expect(under.around.entitlement.charged(keyRecord.accountId)).toBe(0);
    const answer = await under.ask(live('shop.de'), key);
    expect([answer.status, answer.headers['x-credits-cost']]).toEqual([200, '1']);
    const [, limit] = /;q=(\d+)/.exec(String(answer.headers['ratelimit-policy'])) ?? [];
    const [, left] = /;r=(\d+)/.exec(String(answer.headers.ratelimit)) ?? [];
    expect(Number(limit) - Number(left)).toBe(4);
  });

  it('that fails gets a stale answer only if it accepts one, at the price of a live answer', async () => {
    const { apiKey, keyRecord } = under.around.account.addKey();
    const key = { 'x-api-key': apiKey };
    const first = await under.ask(live('stale-shop.de'), key);
    expect(first.status).toBe(200);
    await world.silence();
    world.clock.advance(60_000);
    const plain = await under.ask(live('stale-shop.de', '&fresh=true'), key);
    expect([503, 504]).toContain(plain.status);
    const stale = await under.ask(live('stale-shop.de', '&fresh=true&allow_stale=true'), key);
    expect([stale.status, stale.headers['x-credits-cost']]).toEqual([200, '1']);
    expect(Number(stale.headers.age)).toBeGreaterThanOrEqual(60);
    await waitFor('both to be charged', () => {
      return under.around.entitlement.charged(keyRecord.accountId) === 2;
    });
  });
});
