import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chromium } from 'playwright-core';
import { OPERATIONS, listenerOf } from '#libs/contracts';
import { chromiumPath } from '../../../../test/environment/chromium.js';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
});
afterAll(() => under?.stop());

describe('the reference of the API', () => {
  it('describes every row with a key and every public one, and needs no key itself', async () => {
    const { status, json, headers } = await under.ask('/openapi.json');
    expect([status, json.openapi]).toEqual([200, '3.1.0']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const served = OPERATIONS.filter((row) => listenerOf(row) === 'api');
    const paths = new Set(served.flatMap(({ routes }) => routes.map(({ path }) => path)));
    expect(new Set(Object.keys(json.paths as object))).toEqual(paths);
  });

  it('no other file is served beside its own', async () => {
    for (const path of ['/docs/package.json', '/docs/..%2fREADME.md', '/docs/%2e%2e']) {
      expectProblem(await under.ask(path), 404, 'not_found');
    }
  });

  const executablePath = chromiumPath();
  (executablePath === undefined ? it.skip : it)(
    'S115: a browser shows it from our own files alone, and no policy is violated',
    async () => {
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      try {
        const page = await browser.newPage();
        const complaints: string[] = [];
        const asked = new Set<string>();
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text());
        });
        page.on('pageerror', (error) => complaints.push(error.message));
        page.on('request', (request) =>
          asked.add(
            new URL(request.url()).protocol === 'data:' ? under.url : new URL(request.url()).origin,
          ),
        );
        await page.goto(`${under.url}/docs`);
        await page.getByRole('link', { name: 'GET /v2.0/whois/live' }).click();
        const curl = page.locator('.curl pre').first();
        await curl.waitFor();
        expect(await curl.textContent()).toContain(
          "curl 'https://api.example.test/v2.0/whois/live?domainName=",
        );
        await page.getByText('203.0.113.1').first().waitFor();
        await page.getByText('invalid_domain_name').first().waitFor();
        expect([...asked]).toEqual([under.url]);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
  );
});
