import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { waitFor } from '#test/environment';
import { BrowserUser, hasBrowser, openBrowser } from './browser-user.js';
import { Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';

/** A name that has the same answer on every installation. */
const SAMPLE = 'registered.test';

(hasBrowser ? describe : describe.skip)('in one process: searches in a browser', () => {
  let deployment: Deployment;
  let browser: Browser;
  let customer: Customer;
  let user: BrowserUser;

  beforeAll(async () => {
    deployment = await openSolo();
    browser = await openBrowser();
    user = await BrowserUser.arrive(browser, deployment);
  });
  afterEach(() => {
    const faults = user.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await deployment?.stop();
  });

  it('every public page is accessible in light mode, in dark mode and on a phone', async () => {
    // `browser.spec.ts` examines the forms of sign-up and log-in.
    const paths = ['/', '/password/forgot', '/password/reset', '/sign-up/confirm', '/nothing-here'];
    for (const path of paths) {
      await user.open(path);
      await user.examine();
    }
  });

  it('every page that informs visitors is also accessible', async () => {
    for (const path of ['/prices', '/status', '/documents', '/terms', '/privacy', '/contact']) {
      await user.open(path);
      await user.examine();
    }
  });

  it('the usage page shows the requests by day and operation', async () => {
    customer = new Customer(deployment, 'tina@tools.example', 'Tina');
    await customer.joinWithCredits();
    await user.open('/log-in');
    const fields = { 'E-mail': customer.email, Password: customer.password };
    expect(await user.submit('Log in', fields)).toBe(303);
    expect((await customer.lookUp('used-1.com')).status).toBe(200);
    const used = user.page.getByRole('row', { name: /whois\.live/ });
    await waitFor('the lookups to be counted', async () => {
      await user.open('/');
      await user.follow('Usage');
      return (await used.count()) > 0;
    });
    const chart = user.page.getByRole('figure').filter({ hasText: /Requests a day/ });
    await chart.locator('rect').last().hover();
    expect(await chart.locator('output').textContent()).toMatch(/^\d{4}-\d\d-\d\d, .+: \d+$/);
    await user.follow('Requests');
    await user.examine();
    const rows = user.page.locator('tbody tr');
    const before = await rows.count();
    await user.page.getByRole('button', { name: 'Follow live' }).click();
    await customer.lookUp('used-2.com');
    await waitFor('the new request in the list', async () => (await rows.count()) > before);
    await rows.first().getByRole('link').click();
    await user.page.getByRole('heading', { name: 'One request' }).waitFor();
    expect(await user.words()).toMatch(/Answer\s+200 delivered/);
    await user.examine();
    await user.page.keyboard.press('?');
    await user.page.getByRole('heading', { name: 'Shortcuts' }).waitFor();
    await user.examine();
    await user.page.keyboard.press('Escape');
    await user.page.keyboard.press('Control+k');
    await user.page.getByLabel('Go to').fill('usa');
    await user.examine();
    await user.page.keyboard.press('Enter');
    await user.page.waitForURL('**/usage');
    await user.examine();
  });

  it('the pages of jobs, monitors, files and webhooks are accessible', async () => {
    for (const path of ['/jobs', '/monitors', '/files', '/webhooks']) {
      await user.open(path);
      await user.examine();
    }
  });

  it('an upload says at most what it costs, and continues where its connection broke off', async () => {
    const { page } = user;
    const names = Buffer.from(Array.from({ length: 2_000 }, (_, at) => `up-${at}.com\n`).join(''));
    const half = names.length >> 1;
    const parts = [names.subarray(0, half), names.subarray(half, half + 100)];
    const offsets: (string | undefined)[] = [];
    await page.route('**/api/uploads/*', async (route) => {
      const { 'content-length': _length, ...headers } = await route.request().allHeaders();
      if (route.request().method() !== 'PATCH') return route.continue();
      offsets.push(headers['upload-offset']);
      const part = parts[offsets.length - 1];
      if (!part) return route.continue();
      const response = await route.fetch({ headers, postData: part });
      // The answer to a part that another tab cut short is not a failure.
      return offsets.length === 1 ? route.abort('connectionreset') : route.fulfill({ response });
    });
    await user.open('/jobs');
    const file = { name: 'names.txt', mimeType: 'text/plain', buffer: names };
    // A compressed file whose name does not say so; its first line may be a header.
    for (const [lines, words] of [
      [3_000_001, 'This file has 3,000,001 lines: a job costs at most'],
      [3_000_002, 'This file has 3,000,002 lines, more than the 3,000,000'],
    ] as const) {
      await page.locator('#file').setInputFiles({ ...file, buffer: gzipSync('a\n'.repeat(lines)) });
      await page.getByText(words).waitFor();
    }
    await page.locator('#file').setInputFiles(file);
    await page.getByText('This file has 2,000 lines: a job costs at most 2,000 credits.').waitFor();
    await user.examine();
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('The upload was interrupted.').waitFor();
    await page.waitForURL('**/uploads/*');
    expect(offsets).toEqual(['0', String(half), String(half + 100)]);
    await page.getByText('2,000 unique names in 2,000 lines').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
    expect(user.takeFaults().every((fault) => fault.includes('ERR_CONNECTION_RESET'))).toBe(true);
  });

  it('a paused upload is continued, and begun again if it has been removed meanwhile', async () => {
    const { page } = user;
    let isHeld = true;
    const begun: string[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'POST') begun.push(response.headers()['location']);
    });
    await page.route('**/api/uploads/*', async (route) => {
      const method = route.request().method();
      // Nothing is sent before the pause.
      if (method === 'PATCH' && isHeld) return;
      if (method === 'HEAD' && begun.length === 1 && !isHeld) return route.fulfill({ status: 404 });
      return route.continue();
    });
    await user.open('/jobs');
    const file = { name: 'paused.txt', mimeType: 'text/plain', buffer: Buffer.from('paused.com') };
    await page.locator('#file').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByText('Sending the file.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused. What was sent is kept for 7 days.').waitFor();
    isHeld = false;
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('1 unique name in 1 line').waitFor();
    expect(begun).toHaveLength(2);
    expect(page.url()).toContain(begun[1].split('/').pop());
  });

  it('an upload whose session has ended says so, and not that it can be continued', async () => {
    const { page } = user;
    await page.route('**/api/uploads/*', (route) => route.fulfill({ status: 401 }));
    await user.open('/jobs');
    const file = { name: 'more.txt', mimeType: 'text/plain', buffer: Buffer.from('more.com') };
    await page.locator('#file').setInputFiles(file);
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    const said = page.locator('[data-said]').filter({ hasText: 'session' });
    await said.waitFor();
    expect(await said.textContent()).toBe(
      'Your session has ended: log in, and choose the file again.',
    );
    await page.evaluate('localStorage.clear()');
  });

  it('every search has an accessible page, which shows the price before the search and the cost after it', async () => {
    await user.open('/search');
    await user.examine();
    await user.follow('WHOIS history');
    await user.examine();
    expect(await user.submit('Count first (free)', { 'Domain name': SAMPLE })).toBe(200);
    expect(await user.words()).toContain('Free of charge.');
    await user.examine();
    expect(await user.submit('Look up')).toBe(200);
    expect(await user.words()).toMatch(/Page 1 of 1, 2 records/);
    await user.examine();
    for (const name of ['dns.reverse', 'whois.reverse', 'domain.typos', 'domain.typos.scores']) {
      await user.open(`/search/${name}`);
      await user.examine();
    }
    await user.open(`/search/whois.live?domainName=${SAMPLE}`);
    expect(await user.submit('Look up')).toBe(200);
    expect(await user.words()).toContain('Free of charge.');
    await user.examine();
  });

  it('S115: the playground sends a pasted key only to the API, and shows the cost and the sources of the answer', async () => {
    const { page } = user;
    const told: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(deployment.dashboardUrl)) return;
      told.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData()}`);
    });
    for (const name of ['', '/whois.bulk', '/uploads.create']) {
      await user.open(`/playground${name}`);
      await user.examine();
    }
    const send = async () => {
      await page.getByLabel('Your key').fill(customer.key);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('heading', { name: /^Answer \d+/ }).waitFor();
    };
    // One of the fields is called `dataset`.
    await user.open('/playground/files.list');
    await send();
    await user.open('/playground/whois.live?domainName=play-1.com');
    await send();
    await page.getByRole('heading', { name: 'Answer 200' }).waitFor();
    expect(await user.words()).toMatch(/Cost 1 credit, \d+ left/);
    expect(await page.locator('[data-answer] dd small').count()).toBeGreaterThan(3);
    await user.examine();
    expect(told.length).toBeGreaterThan(4);
    expect(told.join('\n')).not.toContain(customer.key);
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
    const plain = await user.page
      .context()
      .browser()!
      .newContext({
        javaScriptEnabled: false,
        storageState: await user.context.storageState(),
      });
    const read = await plain.newPage();
    await read.goto(`${deployment.dashboardUrl}/playground/dns.live`);
    await read.getByLabel('domainName', { exact: true }).fill('plain-1.com');
    await read.getByRole('button', { name: 'Show the call' }).click();
    expect(await read.locator('[data-call=curl]').textContent()).toContain(
      'domainName=plain-1.com',
    );
    await plain.close();
  });
});
