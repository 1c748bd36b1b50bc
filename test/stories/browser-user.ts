import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
  chromium,
} from 'playwright-core';
import { waitFor } from '#test/environment';
import { axeFaults } from '../environment/axe.js';
import { chromiumPath } from '../environment/chromium.js';
import type { Deployment } from './deployment.js';

type Origins = Pick<Deployment, 'dashboardUrl' | 'mailbox' | 'mailboxUrl'>;

const TIMEOUT_MS = 90_000;

/**
 * The rules of axe for the wide layout: those whose results depend on colours, or on tables, which the narrow layout
 * stacks and shows without headings. The narrow layout is checked with all rules.
 */
const RULES_OF_WIDE_LOOK = [
  'color-contrast',
  'link-in-text-block',
  'scrollable-region-focusable',
  'empty-table-header',
  'scope-attr-valid',
  'table-duplicate-name',
  'td-headers-attr',
  'th-has-data-cells',
];

/** A colour scheme and a size in CSS pixels, checked with all rules of axe unless some are named. */
interface Look {
  colorScheme: 'dark' | 'light';
  width: number;
  height: number;
  rules?: string[];
}

/** The layouts in which every page is checked: both colour schemes and both widths. */
const LOOKS: readonly Look[] = [
  { colorScheme: 'dark', width: 1280, height: 800, rules: RULES_OF_WIDE_LOOK },
  { colorScheme: 'light', width: 375, height: 740 },
];

/** In CI, this is always true, so that the stories fail there without a browser, and are not skipped. */
export const hasBrowser = chromiumPath() !== undefined || process.env.CI === 'true';

/** @throws Error if there is no Chromium, or if it does not start within 90 s. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (!executablePath) {
    throw new Error('Chromium is missing: apt-get install chromium-headless-shell');
  }
  return chromium.launch({ executablePath, args: ['--disable-gpu'], timeout: TIMEOUT_MS });
}

export class BrowserUser {
  /** Console errors, page errors and violations of the content security policy. */
  readonly faults: string[] = [];

  private constructor(
    private readonly origins: Origins,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  static async arrive(
    browser: Browser,
    origins: Origins,
    options: BrowserContextOptions = {},
  ): Promise<BrowserUser> {
    const context = await browser.newContext({ baseURL: origins.dashboardUrl, ...options });
    context.setDefaultTimeout(TIMEOUT_MS);
    const user = new BrowserUser(origins, context, await context.newPage());
    await user.watch();
    return user;
  }

  takeFaults(): string[] {
    return this.faults.splice(0);
  }

  async open(path: string): Promise<void> {
    await this.page.goto(path);
  }

  async follow(link: string): Promise<void> {
    await this.leaveBy(this.page.getByRole('link', { name: link, exact: true }));
  }

  /** Fills in the fields with these labels, and presses the button. Returns the HTTP status of the answer. */
  async submit(button: string, fields: Record<string, string> = {}): Promise<number> {
    for (const [label, value] of Object.entries(fields)) {
      await this.page.getByLabel(label, { exact: true }).fill(value);
    }
    const [answer] = await Promise.all([
      this.page.waitForResponse((response) => response.request().method() === 'POST'),
      this.leaveBy(this.page.getByRole('button', { name: button, exact: true })),
    ]);
    return answer.status();
  }

  async title(): Promise<string> {
    return (await this.page.locator('h1').textContent()) ?? '';
  }

  async words(): Promise<string> {
    return this.page.locator('body').innerText();
  }

  /** Waits for the newest e-mail to `email` with this subject in the mailbox, and follows its link. */
  async followMail(email: string, subject: string): Promise<void> {
    await waitFor(`the e-mail "${subject}"`, async () => {
      const mails = await this.origins.mailbox.newest(50);
      return mails.find((mail) => mail.to === email && mail.subject === subject);
    });
    await this.open(this.origins.mailboxUrl);
    const mail = this.page
      .locator('section')
      .filter({ hasText: email })
      .filter({
        has: this.page.getByRole('heading', { name: subject }),
      });
    await this.leaveBy(mail.first().getByRole('link'));
  }

  /** @throws Error with the violations that axe finds in any layout, and with the boxes that scroll horizontally. */
  async examine(): Promise<void> {
    const faults: string[] = [];
    for (const { colorScheme, width, height, rules } of LOOKS) {
      await this.page.emulateMedia({ colorScheme });
      await this.page.setViewportSize({ width, height });
      const found = await axeFaults(this.page, rules);
      const scrolled = await this.page.evaluate<string[]>(WIDTHS);
      const seen = [...found, ...scrolled.map((box) => `${box} scrolls`)];
      faults.push(...seen.map((fault) => `${fault} (${colorScheme}, ${width} px)`));
    }
    const path = new URL(this.page.url()).pathname;
    if (faults.length > 0) throw new Error(`${path}\n${faults.join('\n')}`);
  }

  async leave(): Promise<void> {
    await this.context.close();
  }

  private async leaveBy(way: Locator): Promise<void> {
    await Promise.all([this.page.waitForEvent('framenavigated'), way.first().click()]);
    await this.page.waitForLoadState();
  }

  private async watch(): Promise<void> {
    await this.page.addInitScript(REPORT_VIOLATIONS);
    this.page.on('pageerror', (error) => this.faults.push(`page error: ${error.message}`));
    this.page.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`console: ${message.text()}`);
    });
  }
}

/** Runs in the page, because violations of a report-only policy do not appear among the console's errors. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  console.error('policy violated: ' + event.violatedDirective + ' by ' + event.blockedURI));`;

/** Runs in the page, and returns the boxes that scroll horizontally, including the document itself. */
const WIDTHS = `[document.documentElement, ...document.querySelectorAll('body *')]
  .filter((box) => box.scrollWidth > box.clientWidth && box.clientWidth > 0)
  .filter((box) => box === document.documentElement || getComputedStyle(box).overflowX !== 'visible')
  .filter((box) => box.tagName !== 'INPUT' && box.tagName !== 'SELECT')
  .map((box) => box.tagName + '.' + box.className)`;
