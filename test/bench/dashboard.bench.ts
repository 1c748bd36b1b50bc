import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import type { SoloFacts } from '../../apps/solo/src/announcement/solo-facts.js';
import { chromiumPath } from '../environment/chromium.js';
import { type BenchOptions, type BenchReport, type BenchRow, atMost, newFolder } from './bench.js';
import { cleanup } from './cleanup.js';
import { stop } from './start.bench.js';

const PAGE_KB_MAX = 40;
const PAINT_MS_MAX = 200;
const READY_MS = 240_000;
const PAGE_MS = 30_000;
const STRANGERS = ['/', '/prices', '/status', '/documents', '/terms', '/privacy', '/contact'];
const CUSTOMERS =
  '/ /keys /usage /requests /search /playground /playground/whois.live /jobs /monitors /files /webhooks /credits /plans /subscriptions /invoices /billing-details /account /security'.split(
    ' ',
  );
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 1280 },
  { colorScheme: 'light', width: 375 },
  { colorScheme: 'dark', width: 375 },
] as const;

interface Measured {
  path: string;
  kilobytes: number;
  paintMs: number;
  faults: string[];
}

/** Pages of the demo account and of strangers, in Debian's Chromium on this machine. */
export async function run(_figures?: string[], options?: BenchOptions): Promise<BenchReport> {
  const title = 'dashboard: pages in Chromium';
  const executablePath = chromiumPath();
  if (!executablePath) return { title, rows: [], notRun: ['no Chromium on this machine'] };
  const facts = await startProduct();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  cleanup.add(() => browser.close());
  const measured: Measured[] = [];
  const looks = options?.isShort ? LOOKS.slice(-1) : LOOKS;
  for (const [paths, demo] of [
    [STRANGERS, undefined],
    [CUSTOMERS, facts.demo],
  ] as const) {
    const context = await visit(browser, facts, demo);
    const state = { storageState: await context.storageState(), baseURL: facts.dashboard_url };
    const plain = await browser.newContext({ ...state, javaScriptEnabled: false });
    for (const path of paths) {
      const one = await measure(context, path);
      one.faults.push(
        ...(await withoutScript(plain, path)),
        ...(await violations(context, path, looks)),
      );
      measured.push(one);
      const kilobytes = one.kilobytes.toFixed(1);
      const line = [`${path}: ${kilobytes} kB, ${one.paintMs.toFixed(0)} ms`, ...one.faults];
      process.stderr.write(`${line.join('; ')}\n`);
    }
    await context.close();
    await plain.close();
  }
  await browser.close();
  return { title, rows: rowsOf(measured) };
}

function rowsOf(measured: Measured[]): BenchRow[] {
  const largest = measured.reduce((a, b) => (b.kilobytes > a.kilobytes ? b : a));
  const slowest = measured.reduce((a, b) => (b.paintMs > a.paintMs ? b : a));
  const faults = measured.flatMap(({ path, faults: of }) => of.map((fault) => `${path} ${fault}`));
  const first = faults.length > 0 ? `: ${faults[0]}` : '';
  return [
    atMost(
      `largest page with islands, gzip (${largest.path})`,
      largest.kilobytes,
      PAGE_KB_MAX,
      'kB',
    ),
    atMost(`slowest first paint, best of 3 (${slowest.path})`, slowest.paintMs, PAINT_MS_MAX, 'ms'),
    atMost(`faults of axe, console, without script${first}`, faults.length, 0, 'faults'),
  ];
}

/** A start of its own, with the demo account as a newcomer finds it. */
async function startProduct(): Promise<SoloFacts> {
  const folder = newFolder('dashboard');
  const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0', OFFLINE_NAMES: '0' };
  const solo = spawn(process.execPath, ['dist/apps/solo/src/main.js', '--offline'], {
    env: { ...process.env, ...ports, DATA_DIR: folder },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cleanup.add(() => stop(solo));
  const lastMs = performance.now() + READY_MS;
  while (!existsSync(join(folder, 'demo-life.json'))) {
    if (solo.exitCode !== null) throw new Error('the product ended while it started');
    if (performance.now() > lastMs) throw new Error('the product was not ready in time');
    await sleep(200);
  }
  return JSON.parse(readFileSync(join(folder, 'solo.json'), 'utf8')) as SoloFacts;
}

async function visit(
  browser: Browser,
  facts: SoloFacts,
  demo: SoloFacts['demo'],
): Promise<BrowserContext> {
  const context = await browser.newContext({ baseURL: facts.dashboard_url });
  context.setDefaultTimeout(PAGE_MS);
  if (!demo) return context;
  const page = await context.newPage();
  await page.goto('/log-in');
  await page.getByLabel('E-mail').fill(demo.email);
  await page.getByLabel('Password', { exact: true }).fill(demo.password);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((url) => url.pathname === '/');
  await page.close();
  return context;
}

async function measure(context: BrowserContext, path: string): Promise<Measured> {
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  const bodies: Promise<Buffer>[] = [];
  const take = (response: { body(): Promise<Buffer> }) => void bodies.push(response.body());
  page.on('response', take);
  await page.goto(path, { waitUntil: 'load' });
  // What an island asks for later, such as a live tail, is no part of the page.
  page.off('response', take);
  const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body).length);
  const paints: number[] = [await paintOf(page)];
  for (let again = 0; again < 2; again++) {
    await page.goto(path, { waitUntil: 'load' });
    paints.push(await paintOf(page));
  }
  await page.close();
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  return { path, kilobytes, paintMs: Math.min(...paints), faults };
}

/** Asked again and again: what waits within the page would need `eval`, which the policy forbids. */
async function paintOf(page: Page): Promise<number> {
  const paint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;
  for (const lastMs = performance.now() + PAGE_MS; performance.now() < lastMs; await sleep(20)) {
    const startMs = await page.evaluate<number | undefined>(paint);
    if (startMs !== undefined) return startMs;
  }
  throw new Error(`${page.url()} was never painted`);
}

async function withoutScript(context: BrowserContext, path: string): Promise<string[]> {
  const page = await context.newPage();
  const status = (await page.goto(path))?.status();
  const isThere = (await page.locator('h1').count()) === 1;
  await page.close();
  return status === 200 && isThere ? [] : [`without script: ${status}`];
}

async function violations(
  context: BrowserContext,
  path: string,
  looks: readonly (typeof LOOKS)[number][],
): Promise<string[]> {
  const page = await context.newPage();
  await page.goto(path);
  const faults: string[] = [];
  for (const { colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const found = await new AxeBuilder({ page }).setLegacyMode().analyze();
    faults.push(...found.violations.map(({ id }) => `${id} (${colorScheme}, ${width} px)`));
  }
  await page.close();
  return faults;
}
