import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { GatewayUnderTest } from '../gateway/gateway-under-test.js';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { RegistryWorld } from './registry-world.js';

/** A port on which no process listens. */
const NOBODY = 'http://127.0.0.1:9';

describe('while the corpus cannot be reached', () => {
  let world: RegistryWorld;
  let under: GatewayUnderTest;

  beforeAll(async () => {
    world = new RegistryWorld({ secret: HARNESS_SECRET });
    await world.start();
    under = await GatewayUnderTest.start({ LOOKUP_URL: world.url, CORPUS_URL: NOBODY });
  });
  afterAll(async () => {
    await under?.stop();
    await world?.stop();
  });

  it('live lookups are answered and charged; history and searches get 503 without charge', async () => {
    const scopes = ['whois', 'dns', 'history', 'reverse', 'subdomains'] as const;
    const { apiKey, keyRecord } = under.around.account.addKey({ scopes: [...scopes] });
    const ask = (path: string) => {
      // Lookup accepts only current tokens from the gateway.
      world.clock.set(new Date());
      return under.ask(`/v2.0/${path}`, { 'x-api-key': apiKey });
    };
    for (const search of [
      'whois/history?domainName=shop.de',
      'whois/reverse?owner=somebody&mode=mini',
      'dns/historical?domainName=shop.de',
      'dns/reverse?value=ns1.shop.de&type=ns',
      'subdomains?domainName=shop.de',
    ]) {
      const { status, headers, json } = await ask(search);
      expect([search, status, json.code, headers['x-credits-cost'] ?? '0']).toEqual([
        search,
        503,
        'service_unavailable',
        '0',
      ]);
      expect(headers['retry-after']).toMatch(/^\d+$/);
      const live = await ask('whois/live?domainName=shop.de&fresh=true');
      expect([live.status, live.headers['x-credits-cost']]).toEqual([200, '1']);
    }
    const { entitlement } = under.around;
    await waitFor('the settlement', () => entitlement.charged(keyRecord.accountId) === 5);
  });
});
