import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OPERATIONS, listenerOf } from '#libs/contracts';
import { axeFaults } from '../../../../test/environment/axe.js';
import { GatewayUnderTest, expectProblem } from '../../../../test/gateway/gateway-under-test.js';
import { hasBrowser, openBrowser } from '../../../../test/stories/browser-user.js';

const GZIP_BYTES_MAX = 600_000;
const LOOKS = [
  { colorScheme: 'light', width: 1280, rules: undefined },
  // Another colour scheme changes only colours, and a narrow window changes only tables.
  { colorScheme: 'dark', width: 1280, rules: ['color-contrast'] },
  { colorScheme: 'light', width: 375, rules: ['color-contrast', 'scrollable-region-focusable'] },
] as const;
/** Keeps eight operations: all are written by the same code, so that a few show what a further look changes. */
const KEEP_EIGHT = `[...document.querySelectorAll('section[id]')].slice(8).forEach((one) => one.remove())`;

let under: GatewayUnderTest;

beforeAll(async () => {
  under = await GatewayUnderTest.start();
});
afterAll(() => under?.stop());

describe('the API reference', () => {
  const served = OPERATIONS.filter((row) => listenerOf(row) === 'api');

  it('the reference describes every operation, with or without a key, and needs no key itself', async () => {
    const { status, json, headers } = await under.ask('/openapi.json');
    expect([status, json.openapi]).toEqual([200, '3.1.0']);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const paths = new Set(served.flatMap(({ routes }) => routes.map(({ path }) => path)));
    expect(new Set(Object.keys(json.paths as object))).toEqual(paths);
    const { text } = await under.ask('/docs');
    for (const { name } of served) expect(text).toContain(`<section id="${name}"`);
  });

  it('the reference is sent compressed to clients that accept it, in at most 600 kB', async () => {
    const { headers } = await under.ask('/docs', { 'accept-encoding': 'gzip, br' });
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'])).toBeLessThan(GZIP_BYTES_MAX);
    for (const encodings of ['gzip;q=0', 'gzip; q=0.0, identity']) {
      const plain = await under.ask('/docs', { 'accept-encoding': encodings });
      expect(plain.headers['content-encoding']).toBeUndefined();
    }
  });

  it('no other file is served', async () => {
    for (const path of ['/docs/package.json', '/docs/..%2fREADME.md', '/docs/%2e%2e']) {
      expectProblem(await under.ask(path), 404, 'not_found');
    }
  });

  (hasBrowser ? it : it.skip)(
    'S115: a browser builds the API’s pages from our own files alone, and they are accessible',
    async () => {
      const browser = await openBrowser();
      try {
        const page = await (await browser.newContext()).newPage();
        const complaints: string[] = [];
        const asked = new Set<string>();
        page.on('console', (message) => {
          if (message.type() === 'error') complaints.push(message.text());
        });
        page.on('request', (request) => asked.add(new URL(request.url()).origin));
        for (const path of ['/', '/errors', '/errors/rate_limited', '/docs']) {
          await page.goto(`${under.url}${path}`);
          for (const { colorScheme, width, rules } of LOOKS) {
            if (rules) await page.evaluate(KEEP_EIGHT);
            await page.emulateMedia({ colorScheme });
            await page.setViewportSize({ width, height: 800 });
            const found = await axeFaults(page, rules);
            const [scrolled, shown] = await page.evaluate<[number, number]>(
              '[document.documentElement.scrollWidth, window.innerWidth]',
            );
            expect({ path, width, found, isWide: scrolled > shown }).toEqual({
              path,
              width,
              found: [],
              isWide: false,
            });
          }
        }
        const call = page.locator('section[id="whois.live"] pre').first();
        expect(await call.textContent()).toContain('/v2.0/whois/live?domainName=registered.test');
        expect([...asked]).toEqual([under.url]);
        expect(complaints).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    300_000,
  );

  it('S115: only the reference has a script, which may call only the API and must not write markup', async () => {
    const policyOf = async (path: string) => {
      const { headers } = await under.ask(path, { accept: 'text/html' });
      return String(headers['content-security-policy']);
    };
    const usual = await policyOf('/errors');
    expect(usual).not.toContain('script-src');
    expect(await policyOf('/openapi.json')).toBe(usual);
    expect(await policyOf('/docs')).toBe(
      `${usual}; script-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'`,
    );
    const { text } = await under.ask('/docs');
    for (const { name } of served) expect(text).toContain(`aria-label="Send ${name}"`);
  });

  (hasBrowser ? it : it.skip)(
    'S8: calls from the reference use a pasted key, which stays in the memory of the page',
    async () => {
      under.forget();
      const { apiKey } = under.around.account.addKey({ environment: 'test' });
      const browser = await openBrowser();
      try {
        const context = await browser.newContext();
        const page = await context.newPage();
        const asked: string[] = [];
        page.on('request', (request) => asked.push(request.url()));
        await page.goto(`${under.url}/docs`);
        const section = (name: string) => page.locator(`section[id="${name}"]`);
        const open = (name: string) => section(name).getByText('Call it from this page').click();
        const send = (name: string) =>
          section(name)
            .getByRole('button', { name: `Send ${name}` })
            .click();
        await open('whois.live');
        await send('whois.live');
        const said = section('whois.live').getByRole('status');
        await said.getByText('Paste your key at the top of this page first.').waitFor();
        await page.getByLabel('API key').fill(apiKey);
        await send('whois.live');
        await said.getByText(/^Answered 200, .*request req_/).waitFor();
        const shown = await section('whois.live').locator('[data-answer]').textContent();
        expect(shown).toContain('"domain_name": "registered.test"');
        // One of the form's fields is named `dataset`.
        await open('files.list');
        await send('files.list');
        const told = section('files.list').getByRole('status');
        await told.getByText(/^Answered \d+, .*request req_/).waitFor();
        expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0]);
        expect(await context.cookies()).toEqual([]);
        expect(asked.join(' ')).not.toContain(apiKey);
        expect(await page.content()).not.toContain(apiKey);
        await page.reload();
        expect(await page.getByLabel('API key').inputValue()).toBe('');
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
});
