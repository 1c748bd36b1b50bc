import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { waitFor } from '#test/environment';
import { Customer } from './customer.js';
import { openSoloWithPayments } from './deployment.js';
import { BrowserUser, hasBrowser, openBrowser } from './browser-user.js';

interface Held {
  account_id: string;
  billing: { invoices: { pdf_path: string }[] };
}

/** A customer's purchases and payments on the HTML pages, in a real browser. Each step builds on the previous ones. */
(hasBrowser ? describe : describe.skip)('plans and invoices in a browser', () => {
  let deployment: Awaited<ReturnType<typeof openSoloWithPayments>>;
  let browser: Browser;
  let customer: Customer;
  let user: BrowserUser;

  beforeAll(async () => {
    deployment = await openSoloWithPayments();
    browser = await openBrowser();
    customer = new Customer(deployment, 'rosa@plans.example', 'Rosa');
    await customer.join();
    user = await BrowserUser.arrive(browser, deployment, { acceptDownloads: true });
    await user.open('/log-in');
    const fields = { 'E-mail': customer.email, Password: customer.password };
    expect(await user.submit('Log in', fields)).toBe(303);
  });
  afterAll(async () => {
    await browser?.close();
    await deployment?.stop();
  });
  afterEach(() => {
    const faults = user.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
    expect(faults).toEqual([]);
  });

  /** Returns the page's text about the current plan, or an empty string until billing has recorded the plan. */
  const own = async () => {
    await user.open('/subscriptions');
    const plans = user.page.getByRole('listitem').filter({ hasText: 'API plan' });
    return (await plans.allInnerTexts())[0] ?? '';
  };

  async function fetchOrders() {
    return customer.call('GET', '/api/orders');
  }

  async function pay(): Promise<void> {
    await user.follow('Pay on the processor’s page');
    await Promise.all([
      user.page.waitForURL(`${deployment.dashboardUrl}/**`),
      user.page.getByRole('button', { name: /^Pay / }).first().click(),
    ]);
  }

  it('every page about money is accessible in light mode, in dark mode and on a phone', async () => {
    for (const path of ['/credits', '/plans', '/subscriptions', '/invoices']) {
      await user.open(path);
      await user.examine();
    }
    await user.open('/plans?interval=year');
    expect(await user.words()).toContain('$268.92 a year');
    await user.follow('Monthly');
    expect(await user.words()).toContain('$27.00 a month');
  });

  it('the package slider works with the keyboard and shows the price', async () => {
    await user.open('/credits');
    const slider = user.page.getByRole('slider', { name: 'Package' });
    expect(await slider.getAttribute('aria-valuetext')).toBe(
      '5,000 credits for $19.00, $0.0038 each',
    );
    await slider.press('ArrowRight');
    expect(await slider.getAttribute('aria-valuetext')).toBe(
      '6,000 credits for $22.50, $0.0037 each',
    );
    await slider.press('End');
    expect(await user.page.locator('output').innerText()).toBe(
      '3,000,000 credits for $4,800.00, $0.0016 each',
    );
    await slider.press('Home');
    expect(await user.submit('Order the package')).toBe(303);
    await user.examine();
    await pay();
    expect(await user.words()).toContain(
      'Your payment of $19.00 arrived: 5,000 credits that never expire',
    );
    await waitFor('the package', async () => {
      await user.open('/subscriptions');
      return /Package, \S+ order \w+\s+5,000\s+5,000\s+never expires/.test(await user.words());
    });
  });

  it('a plan can be ordered and paid for, and is then listed', async () => {
    await user.open('/plans');
    expect(await user.submit('Subscribe to API plan 5K')).toBe(303);
    expect(await user.words()).toContain('API plan 5K');
    await pay();
    await waitFor('the plan', async () => /active.*renews/s.test(await own()));
    expect(await own()).toContain('$10.00 a month');
    await user.examine();
  });

  it('a change to a more expensive plan shows the amount due before it is paid, and takes effect afterwards', async () => {
    await user.follow('Change plan: API plan 5K');
    await user.page.getByRole('button', { name: 'Change to API plan 15K' }).click();
    await user.page.getByRole('heading', { name: 'Change the plan' }).waitFor();
    expect(await user.words()).toMatch(/API plan 5K → API plan 15K[\s\S]*\$17\.00 due now/);
    await user.examine();
    expect(await user.submit('Pay and change')).toBe(303);
    await waitFor('the new plan', async () => (await own()).includes('API plan 15K'));
    expect(await own()).toContain('$27.00 a month');
  });

  it('a change to a cheaper plan waits for the end of the period, and can be withdrawn', async () => {
    await user.follow('Change plan: API plan 15K');
    await user.page.getByRole('button', { name: 'Change to API plan 5K' }).click();
    expect(await user.words()).toContain('Nothing is charged now');
    expect(await user.submit('Change')).toBe(303);
    await waitFor('the pending change', async () => (await own()).includes('then API plan 5K'));
    await user.submit('Undo: API plan 15K');
    await waitFor('its end', async () => !(await own()).includes('then'));
  });

  it('a plan can be cancelled and resumed', async () => {
    await user.follow('Cancel: API plan 15K');
    expect(await user.words()).toMatch(/It works until \d{4}-\d\d-\d\d \(UTC\)/);
    await user.examine();
    expect(await user.submit('Cancel the subscription')).toBe(303);
    await waitFor('the end', async () => (await own()).includes('ends '));
    await user.examine();
    expect(await user.submit('Undo the cancellation: API plan 15K')).toBe(303);
    await waitFor('the renewal', async () => (await own()).includes('renews '));
    await waitFor('the e-mail', async () => {
      const mails = await deployment.mailbox.newest(50);
      return mails.some(({ to }) => to === customer.email);
    });
  });

  it('payment details lead to the processor’s page, and its return address shows the subscriptions', async () => {
    await user.submit('Payment details: API plan 15K');
    await user.examine();
    await user.follow('Go to the processor’s page');
    expect(new URL(user.page.url()).origin).not.toBe(deployment.dashboardUrl);
    await user.open('/billing/subscriptions');
    expect(await user.title()).toBe('Subscriptions');
  });

  it('the processor can be chosen before an order', async () => {
    await user.open('/plans');
    await user.follow('PayPal');
    expect(await user.words()).toContain('PayPal');
    await user.examine();
    const units = { 'Units of the Rate-limit add-on': '1' };
    expect(await user.submit('Subscribe to Rate-limit add-on', units)).toBe(303);
    const { body } = await fetchOrders();
    expect(body.orders[0].processor).toBe('paypal');
  });

  it('S77: a Domainer plan gives access to its own files, and no others, as soon as it is paid', async () => {
    const csvOf = (dataset: string) =>
      user.page.getByRole('link', { name: new RegExp(`^CSV, [^:]*: ${dataset} of`) });
    const open = async () => {
      await user.open('/files');
      return csvOf('New names').count();
    };
    await waitFor('a file', async () => {
      await open();
      return user.page
        .getByRole('link', { name: /^Requires a plan with names: New names of/ })
        .count();
    });
    expect(await open()).toBe(0);
    await user.examine();
    await user.open('/plans');
    expect(await user.submit('Subscribe to Domainer Names')).toBe(303);
    await pay();
    await waitFor('the files', open);
    expect(await csvOf('WHOIS of new names').count()).toBe(0);
    const address = await csvOf('New names').first().getAttribute('href');
    const statusOf = async (path: string) =>
      (await user.page.request.get(deployment.dashboardUrl + path)).status();
    expect(await statusOf(address!)).toBe(200);
    expect(await statusOf(address!.replace('/newly/', '/newly_dns/'))).toBe(403);
    await user.examine();
  });

  it('units of the add-on can be bought in addition', async () => {
    await user.open('/plans');
    const fields = { 'Units of the Rate-limit add-on': '2' };
    expect(await user.submit('Subscribe to Rate-limit add-on', fields)).toBe(303);
    expect(await user.words()).toContain('$40.00');
    await pay();
    await waitFor('the add-on', async () => {
      await user.open('/subscriptions');
      return (await user.words()).includes('Rate-limit add-on × 2');
    });
  });

  it('each payment has its invoice as a PDF, which can be reprinted after the billing details have changed', async () => {
    const rows = user.page.getByRole('listitem').filter({ hasText: 'INV-' });
    await waitFor('five printed invoices', async () => {
      await user.open('/invoices');
      return (await rows.count()) === 5 && !(await user.words()).includes('being printed');
    });
    await user.examine();
    const number = /INV-\d{4}-\d{6}/.exec(await rows.first().innerText())?.[0] as string;
    const [download] = await Promise.all([
      user.page.waitForEvent('download'),
      user.page.getByRole('link', { name: `PDF of ${number}` }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${number}.pdf`);
    await user.open('/billing-details');
    await user.examine();
    await user.page.getByLabel('Country').selectOption('GB');
    const wrong = { Address: '1 Quay', City: 'Leith', 'Tax id': 'nonsense' };
    expect(await user.submit('Save the details', wrong)).toBe(400);
    expect(await user.page.getByRole('alert').innerText()).not.toBe('');
    const right = { 'Tax id': 'GB123456789', Organisation: 'Rosa Ltd' };
    expect(await user.submit('Save the details', right)).toBe(200);
    await user.open('/invoices');
    expect(await user.submit(`Print again: ${number}`)).toBe(303);
    expect(await rows.first().innerText()).toContain('revision 2');
  });

  it('all data of the account can be downloaded after the password is entered', async () => {
    await user.open('/account');
    await user.follow('Download all data of this account');
    await user.examine();
    expect(await user.submit('Download', { Password: 'wrong' })).toBe(401);
    await user.page.getByLabel('Password').fill(customer.password);
    const [download] = await Promise.all([
      user.page.waitForEvent('download'),
      user.page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('account.json');
    const held = JSON.parse(await readFile(await download.path(), 'utf8')) as Held;
    expect(held.account_id).toBe(customer.accountId);
    expect(held.billing.invoices).toHaveLength(5);
    for (const { pdf_path: path } of held.billing.invoices) {
      const pdf = await customer.call('GET', path);
      expect([path, pdf.status, pdf.headers.get('content-type')]).toEqual([
        path,
        200,
        'application/pdf',
      ]);
    }
    await user.open('/account/export');
    await user.follow('Invoices as PDF');
    expect(await user.title()).toBe('Invoices');
  });

  it('without JavaScript, a package can be chosen from a list', async () => {
    const plain = await BrowserUser.arrive(browser, deployment, { javaScriptEnabled: false });
    await plain.open('/log-in');
    await plain.submit('Log in', { 'E-mail': customer.email, Password: customer.password });
    await plain.open('/credits');
    await plain.page.getByLabel('Package', { exact: true }).selectOption('50000');
    expect(await plain.submit('Order the package')).toBe(303);
    expect(await plain.words()).toContain('$150.00');
    await plain.leave();
  });
});
