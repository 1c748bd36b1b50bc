import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS, endpointOf, listenerOf } from '#libs/contracts';
import { GatewayUnderTest } from '../../../../test/gateway/gateway-under-test.js';

describe('descriptions of the API for programs', () => {
  let under: GatewayUnderTest;

  beforeAll(async () => {
    under = await GatewayUnderTest.start();
  });
  afterAll(() => under?.stop());

  it('/llms.txt lists every operation with its price, and its links lead to the API', async () => {
    const { headers, text } = await under.ask('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const lines = text.split('\n');
    for (const row of OPERATIONS.filter((one) => listenerOf(one) === 'api')) {
      expect(lines).toContainEqual(expect.stringContaining(`\`${endpointOf(row)}\``));
    }
    expect(text).toMatch(/- `GET \/v2\.0\/whois\/live`: .+\. 1 credit per answer\.\n/);
    const links = [...text.matchAll(/\]\(https:\/\/api\.example\.test([^)]+)\)/g)];
    const paths = links.map(([, path]) => path);
    expect(paths).toEqual(['/openapi.json', '/docs', '/mcp', '/errors']);
    for (const path of paths) {
      expect((await under.ask(path)).status).toBe(path === '/mcp' ? 405 : 200);
    }
  });

  it('/.well-known/api-catalog links to the descriptions and the status (RFC 9727)', async () => {
    const { headers, json } = await under.ask('/.well-known/api-catalog');
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/linkset\+json;.*rfc9727/),
      link: '</.well-known/api-catalog>; rel="api-catalog"',
    });
    const [{ anchor, ...relations }] = json.linkset as Record<string, unknown>[];
    expect(anchor).toBe('https://api.example.test');
    const hrefs = Object.values(relations).map((links) => (links as [{ href: string }])[0].href);
    expect(hrefs).toHaveLength(4);
    for (const href of hrefs) {
      expect((await under.ask(new URL(href).pathname)).status).toBe(200);
    }
    const head = await under.ask('/.well-known/api-catalog', {}, 'HEAD');
    expect([head.status, head.headers.link, head.text]).toEqual([200, headers.link, '']);
  });

  it('/.well-known/security.txt is that of the dashboard', async () => {
    const { status, headers } = await under.ask('/.well-known/security.txt');
    const to = 'https://billing.example.test/.well-known/security.txt';
    expect([status, headers.location]).toEqual([302, to]);
  });
});
