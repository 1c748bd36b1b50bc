import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import {
  type Allowance,
  type KeyUsageAnswer,
  type LedgerAnswer,
  type LedgerChanges,
  type PaceAnswer,
  type RequestsAnswer,
  type UsageAnswer,
  BALANCE,
  INVOICES,
  LEDGER,
  OPERATIONS,
  REQUESTS,
  SUBSCRIPTION,
  WHOIS_LIVE,
  listenerOf,
} from '#libs/contracts';
import { DAY_MS } from '#libs/platform';
import { TestClock } from '#test/environment';
import { changedShare } from '../billing/pdf-pixels.js';
import { chromiumPath } from '../environment/chromium.js';
import { openBrowser } from '../stories/browser-user.js';
import { ACCOUNT_ID, DashboardUnderTest, OWN_ORIGIN } from './dashboard-under-test.js';

const KEPT = join(process.cwd(), 'test/dashboard/pictures');
const MADE_WITH = join(KEPT, 'made-with.txt');
const CHANGED_MAX = 0.01;
/**
 * Whether pages are compared with the reference pictures. After an intended change, run this spec with KEEP_PAGES=1,
 * which replaces the pictures, and check the new ones.
 */
const isKept = process.env.KEEP_PAGES === undefined;
const executablePath = chromiumPath();

const NOW = new Date('2026-11-24T10:00:00Z');
const { id: PLAN } = SUBSCRIPTION.examples[0].parameters;
const LOG = REQUESTS.examples[0].answer as RequestsAnswer;
const [LOGGED] = LOG.requests;
const DAY = LOGGED.at.slice(0, 10);

const PICTURED: Readonly<Record<string, string>> = {
  prices: '/prices',
  overview: '/',
  usage: '/usage',
  credits: '/credits',
  'change of plan': `/subscriptions/${PLAN}/change?sku=api-50K-month`,
  subscriptions: '/subscriptions',
  invoices: '/invoices',
  keys: '/keys',
  request: `/requests/${LOGGED.request_id}?day=${DAY}`,
  playground: '/playground/whois.live',
  job: '/jobs',
};

/** Returns the figures of a month: later days have more requests, and some requests are refused. */
function usage(): { byOperation: UsageAnswer; byKey: KeyUsageAnswer } {
  const dates = Array.from({ length: 30 }, (_, place) =>
    new Date(NOW.getTime() - (29 - place) * DAY_MS).toISOString().slice(0, 10),
  );
  const [from, to] = [dates[0], dates.at(-1)!];
  const figures = dates.map((date, place) => {
    const requests = 40 + place * 3 + (place % 7) * 5;
    return { date, requests, failed: place % 4, credits: requests - (place % 4) };
  });
  const total = (figure: 'requests' | 'credits') =>
    figures.reduce((sum, day) => sum + 2 * day[figure], 0);
  const days = figures.flatMap((day) =>
    ['whois.live', 'dns.live'].map((operation) => ({ ...day, operation })),
  );
  const within = figures.map(({ credits }) => [credits - 20, 12, 5, 3]);
  return {
    byOperation: {
      status: true,
      from,
      to,
      totals: { requests: total('requests'), credits: total('credits') },
      days,
    },
    byKey: {
      from,
      to,
      within_ms: [100, 300, 1_000],
      days: figures.map((day, place) => ({ ...day, key_id: ACCOUNT_ID, within: within[place] })),
    },
  };
}

const ALLOWANCE: Allowance = {
  accountId: ACCOUNT_ID,
  version: '1',
  limits: { live: 40, bulk: 10, heavy: 5, account: 60 },
  keys: 3,
  monitors: { domain: 20, brand: 2, registrant: 2 },
  datasets: [],
  blocks: [],
};
const ONE = { last_minute: 3, busiest_minute: 12 };
const CHANGES: LedgerChanges = {
  days: [{ day: '2026-11-20', amount: 500 }],
  is_whole: true,
};
const PACE: PaceAnswer = { live: ONE, bulk: ONE, heavy: ONE };

/** Returns the versions of the browser and the fonts, because other versions draw the same letters differently. */
function machine(): string {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const fontOf = (family: string) =>
    run('fc-match', '-f', '%{family} %{fontversion} %{file}', family);
  return `${[run(executablePath!, '--version'), ...['system-ui', 'monospace'].map(fontOf)].join('\n')}\n`;
}

/** Returns the reason why no pictures are compared on this machine, or undefined if they are. */
function differenceOfMachine(): string | undefined {
  if (!executablePath) return 'there is no Chromium on this machine';
  if (!isKept) return undefined;
  const [here, there] = [machine(), readFileSync(MADE_WITH, 'utf8')];
  return here === there ? undefined : `they were drawn with\n${there}and this machine has\n${here}`;
}

const DASHBOARD_CALLS = OPERATIONS.filter((row) => listenerOf(row) === 'dashboard');
const difference = differenceOfMachine();
if (difference) process.stdout.write(`not compared: pictures of pages, for ${difference}\n`);

(difference ? describe.skip : describe)('reference pictures', () => {
  let under: DashboardUnderTest;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    const clock = new TestClock(NOW);
    under = await DashboardUnderTest.start(undefined, {}, clock);
    browser = await openBrowser();
    const viewport = { width: 1280, height: 800 };
    const here = { locale: 'en-US', timezoneId: 'UTC', colorScheme: 'light' } as const;
    // At half size, a change is still visible, and a picture takes only a few kilobytes.
    context = await browser.newContext({ viewport, deviceScaleFactor: 0.5, ...here });
    if (isKept) return;
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(MADE_WITH, machine());
  });
  afterAll(async () => {
    await browser?.close();
    await under?.stop();
  });
  beforeEach(() => {
    under.forget();
    for (const { method, owner, examples } of DASHBOARD_CALLS) {
      const [{ parameters, answer }] = examples;
      const path = owner.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name]);
      under.answers.set(`${method} ${path}`, answer as object);
    }
    const { byOperation, byKey } = usage();
    under.answers.set('GET /internal/usage', byOperation);
    under.answers.set('GET /internal/usage/keys', byKey);
    const logged = `day=${DAY}&request_id=${LOGGED.request_id}&page_size=100`;
    under.answers.set(`GET /internal/requests?${logged}`, { ...LOG, requests: [LOGGED] });
    under.answers.set('GET /internal/invoices?page_size=50', INVOICES.examples[0].answer as object);
    under.answers.set('GET /internal/usage/overview', { usage: byOperation, pace: PACE });
    under.answers.set('GET /internal/allowance', ALLOWANCE);
    under.answers.set('GET /internal/overview', {
      balance: BALANCE.examples[0].answer,
      allowance: ALLOWANCE,
      ledger: (LEDGER.examples[0].answer as LedgerAnswer).items,
      changes: CHANGES,
    });
    under.answers.set('POST /internal/questions', WHOIS_LIVE.examples[0].answer as object);
  });

  /** Fetches the page from the dashboard's socket, under the origin that it has for browsers. */
  async function pictureOf(path: string, cookie?: string): Promise<Buffer> {
    const page = await context.newPage();
    await page.route(`${OWN_ORIGIN}/**`, async (route) => {
      const { pathname, search } = new URL(route.request().url());
      const { status, headers, body } = await under.send('GET', pathname + search, {
        'sec-fetch-site': 'none',
        ...(cookie && { cookie }),
      });
      const contentType = String(headers['content-type']);
      await route.fulfill({ status, contentType, body });
    });
    const answer = await page.goto(OWN_ORIGIN + path, { waitUntil: 'load' });
    expect([path, answer?.status()]).toEqual([path, 200]);
    const picture = await page.screenshot({ fullPage: true, type: 'jpeg', quality: 50 });
    await page.close();
    return picture;
  }

  async function compare(name: string, path: string, cookie?: string): Promise<void> {
    const picture = await pictureOf(path, cookie);
    const file = join(KEPT, `${name.replaceAll(' ', '-')}.jpg`);
    if (!isKept) writeFileSync(file, picture);
    expect(await changedShare(picture, readFileSync(file))).toBeLessThan(CHANGED_MAX);
  }

  it('the start page looks like its reference picture', async () => compare('start', '/'));

  it.each(Object.entries(PICTURED))('%s looks like its reference picture', async (name, path) =>
    compare(name, path, under.cookie),
  );

  it('a page without its first section is detected as different', async () => {
    const kept = readFileSync(join(KEPT, 'credits.jpg'));
    under.answers.set('GET /internal/processors', { processors: [] });
    const other = await pictureOf('/credits', under.cookie);
    expect(await changedShare(other, kept)).toBeGreaterThan(CHANGED_MAX);
  });
});
