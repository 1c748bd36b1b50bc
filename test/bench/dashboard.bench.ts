import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { waitFor } from '#test/environment';
import type { SoloFacts } from '../../apps/solo/src/announcement/solo-facts.js';
import { BrowserUser, hasBrowser, openBrowser } from '../stories/browser-user.js';
import { type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';
import { startSolo } from './start.bench.js';

const PAGE_KB_MAX = 40;
const PAINT_MS_MAX = 200;
const STRANGERS = ['/', '/prices', '/status', '/documents', '/terms', '/privacy', '/contact'];
const CUSTOMERS =
  '/ /keys /usage /requests /search /playground /playground/whois.live /jobs /monitors /files /webhooks /credits /plans /subscriptions /invoices /billing-details /account /security'.split(
    ' ',
  );
interface Measured {
  path: string;
  kilobytes: number;
  paintMs: number;
}

/** Measures pages of the demo account, and pages for visitors, in Debian's Chromium on this machine. */
export async function measure(): Promise<BenchReport> {
  const title = 'dashboard: pages in Chromium';
  if (!hasBrowser) return { title, rows: [], notRun: ['no Chromium on this machine'] };
  const { dashboard_url: dashboardUrl, mailbox_url: mailboxUrl = '', demo } = await startProduct();
  const browser = await openBrowser();
  cleanup.add(() => browser.close());
  const origins = { dashboardUrl, mailboxUrl, mailbox: { newest: async () => [] } };
  const user = await BrowserUser.arrive(browser, origins);
  const measured: Measured[] = [];
  for (const paths of [STRANGERS, CUSTOMERS]) {
    if (paths === CUSTOMERS) {
      await user.open('/log-in');
      await user.submit('Log in', { 'E-mail': demo!.email, Password: demo!.password });
    }
    for (const path of paths) {
      const one = await measurePage(user, path);
      measured.push(one);
      process.stderr.write(
        `${path}: ${one.kilobytes.toFixed(1)} kB, ${one.paintMs.toFixed(0)} ms\n`,
      );
    }
  }
  return { title, rows: rowsOf(measured) };
}

function rowsOf(measured: Measured[]): BenchRow[] {
  const largest = measured.reduce((a, b) => (b.kilobytes > a.kilobytes ? b : a));
  const slowest = measured.reduce((a, b) => (b.paintMs > a.paintMs ? b : a));
  return [
    atMost(
      `largest page with islands, gzip (${largest.path})`,
      largest.kilobytes,
      PAGE_KB_MAX,
      'kB',
    ),
    atMost(`slowest first paint, best of 3 (${slowest.path})`, slowest.paintMs, PAINT_MS_MAX, 'ms'),
  ];
}

/** Starts a separate installation with a fresh demo account. */
async function startProduct(): Promise<SoloFacts> {
  const folder = newFolder('dashboard');
  await startSolo(folder, 'demo-life.json', { OFFLINE_NAMES: '0' });
  return JSON.parse(readFileSync(join(folder, 'solo.json'), 'utf8')) as SoloFacts;
}

async function measurePage(user: BrowserUser, path: string): Promise<Measured> {
  const { page } = user;
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 720 });
  const bodies: Promise<Buffer>[] = [];
  const take = (response: { body(): Promise<Buffer> }) => void bodies.push(response.body());
  page.on('response', take);
  await page.goto(path, { waitUntil: 'load' });
  // Requests that a component sends later, such as those of a live tail, do not count towards the page.
  page.off('response', take);
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  const paints: number[] = [await paintOf(page)];
  for (let again = 0; again < 2; again++) {
    await page.goto(path, { waitUntil: 'load' });
    paints.push(await paintOf(page));
  }
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  return { path, kilobytes, paintMs: Math.min(...paints) };
}

/** Polls, because waiting inside the page would need `eval`, which its content security policy forbids. */
async function paintOf(page: Page): Promise<number> {
  const paint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;
  return waitFor('the first paint', () => page.evaluate<number | undefined>(paint));
}
