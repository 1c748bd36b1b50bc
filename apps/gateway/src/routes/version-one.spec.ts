import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from 'undici';
import { CHARGED_ITEMS_HEADER, WHOIS_BULK } from '#libs/contracts';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start({}, [WHOIS_BULK]);
});
afterAll(() => under?.stop());

it.each(['/v1.0/bulkwhois', '/v1.0/bulkwhois/live'])(
  'version 1 of a bulk request is answered at %s',
  async (path) => {
    const { account, lookup } = under.around;
    const asked: (string | undefined)[] = [];
    lookup.respond = ({ url }, response) => {
      asked.push(url);
      response.setHeader(CHARGED_ITEMS_HEADER, '0').end('{"status":true}');
    };
    const { apiKey } = account.addKey({ scopes: ['bulk'] });
    const { statusCode, headers, body } = await request(under.url + path, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ domainNames: ['a.example'] }),
    });
    expect([statusCode, await body.json()]).toEqual([200, { status: true }]);
    expect(headers.link).toBe('</v2.0/bulkwhois/live>; rel="successor-version"');
    expect(asked).toEqual(['/internal/whois/bulk?version=1']);
  },
);
