import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { MINUTE_MS } from '#libs/platform';
import { waitFor } from '#test/environment';
import { BrowserUser, hasBrowser, openBrowser } from './browser-user.js';
import { override } from './connections.js';
import { type Deployment, openSolo } from './deployment.js';

const EMAIL = 'mary@story.example';
const NAME = 'Grace O’Neil';
const PASSWORD = 'correct horse battery staple 42';
const NEW_PASSWORD = 'an even longer sentence to remember 7';
const HOSTILE = `<img src=x onerror="document.title='owned'">`;

/** A customer's actions on the HTML pages, in a real browser. Each step builds on the previous ones. */
(hasBrowser ? describe : describe.skip)('in one process: the dashboard in a browser', () => {
  let deployment: Deployment;
  let browser: Browser;
  let user: BrowserUser;
  let key: string;

  beforeAll(async () => {
    deployment = await openSolo();
    browser = await openBrowser();
    user = await BrowserUser.arrive(browser, deployment, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
  });

  afterEach(() => {
    // A rejected form gets a status of 400 or above, which Chromium logs to the console.
    const faults = user.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
    expect(faults).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await deployment?.stop();
  });

  it('markup in a first name is rejected and shown as text in the form', async () => {
    await user.open('/');
    await user.follow('Sign up');
    const fields = { 'First name': HOSTILE, 'E-mail': EMAIL, Password: PASSWORD };
    expect(await user.submit('Create the account', fields)).toBe(400);
    expect(await user.page.getByLabel('First name').inputValue()).toBe(HOSTILE);
    expect(await user.page.locator('img').count()).toBe(0);
    await user.examine();
  });

  it('a sign-up leads to the mailbox, and the link there leads to the confirmation', async () => {
    await user.open('/sign-up');
    const fields = { 'First name': NAME, 'E-mail': EMAIL, Password: PASSWORD };
    expect(await user.submit('Create the account', fields)).toBe(200);
    expect(await user.title()).toBe('Check your e-mail');
    await user.examine();
    await user.followMail(EMAIL, 'Confirm your e-mail address');
    expect(await user.title()).toBe('Confirm your address');
  });

  it('S31: opening the link twice changes nothing; the button on its page confirms once and shows the first key once', async () => {
    const link = user.page.url();
    const scanner = await BrowserUser.arrive(browser, deployment, { javaScriptEnabled: false });
    await scanner.open(link);
    await scanner.open(link);
    expect(await scanner.title()).toBe('Confirm your address');
    expect(await user.submit('Confirm my address', { Password: PASSWORD })).toBe(200);
    key = shownKey(await user.words(), 'live');
    expect(shownKey(await user.words(), 'test')).not.toBe('');
    await user.examine();
    const again = await scanner.submit('Confirm my address', { Password: PASSWORD });
    expect(again).toBeGreaterThanOrEqual(400);
    expect(await scanner.words()).not.toContain('dds_live_');
    await scanner.leave();
    await user.open('/keys');
    expect(await user.words()).not.toContain(key);
  });

  it('S25: the session is in a __Host- cookie that no script can read', async () => {
    const cookies = await user.context.cookies();
    const session = cookies.find(({ name }) => name === '__Host-session');
    expect(session).toMatchObject({
      domain: 'localhost',
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Lax',
    });
    // 256 random bits in base64url.
    expect(session?.value.length).toBeGreaterThanOrEqual(43);
    expect(await user.page.evaluate('document.cookie')).toBe('');
  });

  it('the overview shows the trial credits, reduced by a lookup', async () => {
    await waitFor('the trial credits', async () => {
      await user.open('/');
      return (await user.words()).includes('500 to spend');
    });
    // The lookups that wait for changes to keys would use up the limit of a trial.
    const session = await user.page.request.get(`${deployment.dashboardUrl}/api/session`);
    const { account_id: accountId } = (await session.json()) as { account_id: string };
    await override(deployment, { accountId }, { name: 'live', value: 1_000 });
    const { status, headers } = await lookUp(key);
    expect([status, headers.get('x-simulated-data')]).toEqual([200, 'true']);
    expect(await user.words()).toContain('Simulated data');
    await waitFor('the charge', async () => {
      await user.open('/');
      return (await user.words()).includes('499 to spend');
    });
    await user.examine();
  });

  it('S18: the browser’s session does not work with the API, and a key does not work on the dashboard', async () => {
    const other = await user.context.newPage();
    // Cookies do not depend on ports, so the browser does send the session to the API.
    const answer = await other.goto(`${deployment.apiUrl}/v2.0/whois/live?domainName=cookie.com`);
    expect(answer?.status()).toBe(401);
    expect(await answer?.request().headerValue('cookie')).toContain('__Host-session=');
    await other.close();
    const stranger = await BrowserUser.arrive(browser, deployment, {
      extraHTTPHeaders: { authorization: `Bearer ${key}`, 'x-api-key': key },
    });
    await stranger.open(`/keys?apiKey=${key}`);
    expect(await stranger.title()).toBe('Log in');
    await stranger.leave();
  });

  it('S29: a form on a sibling origin or another site cannot act for the customer', async () => {
    const origins = [deployment.apiUrl, 'http://elsewhere.example'];
    for (const origin of origins) {
      const trap = await user.context.newPage();
      await trap.route(`${origin}/trap`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${deployment.dashboardUrl}/log-out"><button>Win</button></form>`,
        }),
      );
      await trap.goto(`${origin}/trap`);
      const answered = trap.waitForResponse(`${deployment.dashboardUrl}/log-out`);
      await trap.getByRole('button').click();
      expect((await answered).status()).toBe(403);
      await trap.close();
    }
    await user.open('/keys');
    expect(await user.title()).toBe('API keys');
  });

  it('S115: the browser runs no inline script and lets no script write markup', async () => {
    await user.open('/');
    const thrown = await user.page.evaluate(`(() => {
      const script = document.createElement('script');
      try { script.text = 'document.title = "owned"'; } catch (error) { return error.name; }
    })()`);
    expect(thrown).toBe('TypeError');
    const handled = await user.page.evaluate(`(() => {
      const button = document.createElement('button');
      try { button.setAttribute('onclick', 'document.title = "owned"'); } catch { return 'refused'; }
      button.click();
    })()`);
    expect([undefined, 'refused']).toContain(handled);
    expect(await user.page.title()).toBe('Overview · Domain Data Service');
    // A page's console messages arrive a little later than its answer.
    const violations = () => user.faults.filter((fault) => fault.includes('policy violated: '));
    await waitFor('both violations', () => violations().length >= 2);
    const refused = user.takeFaults().join('\n');
    expect(refused).toContain('policy violated: require-trusted-types-for by trusted-types-sink');
    expect(refused).toMatch(/policy violated: (script-src-attr by inline|require-trusted)/);
  });

  it('a rotated key shows its successor once, and the copy button copies it completely', async () => {
    await user.open('/keys?search=nothing-like-it&live=yes');
    expect(await user.words()).toContain('No key found.');
    await user.open(`/keys?search=${key.slice(-4)}&live=yes`);
    await user.examine();
    const row = user.page.getByRole('listitem').filter({ hasText: key.slice(-4) });
    await row.getByRole('link', { name: /^Rotate/ }).click();
    await user.page.getByRole('heading', { name: 'Rotate this key?' }).waitFor();
    await user.examine();
    expect(await user.submit('Rotate the key')).toBe(200);
    await user.page.getByRole('heading', { name: 'Your live key' }).waitFor();
    const successor = shownKey(await user.words(), 'live');
    expect(successor).not.toBe(key);
    await user.page.getByRole('button', { name: 'Copy the key' }).click();
    await user.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await user.page.evaluate('navigator.clipboard.readText()')).toBe(successor);
    await user.examine();
    const [playground] = await Promise.all([
      user.page.waitForEvent('popup'),
      user.page.getByRole('link', { name: 'Try it in the playground' }).click(),
    ]);
    const pasted = playground.getByLabel('Your key');
    await waitFor(
      'the key in the playground',
      async () => (await pasted.inputValue()) === successor,
    );
    await playground.close();
    await waitFor('the successor to work', async () => (await lookUp(successor)).status === 200);
    key = successor;
    await user.open('/keys');
    expect(await user.words()).not.toContain(successor);
  });

  it('a revoked key stops working, and a new key may have any name, which is shown as text', async () => {
    await user.open('/keys');
    const row = user.page.getByRole('listitem').filter({ hasText: key.slice(-4) });
    await row.getByRole('link', { name: /^Revoke/ }).click();
    await user.page.getByRole('heading', { name: 'Revoke this key?' }).waitFor();
    await user.examine();
    await user.follow('Keep it as it is');
    expect((await lookUp(key)).status).toBe(200);
    await row.getByRole('link', { name: /^Revoke/ }).click();
    expect(await user.submit('Revoke the key')).toBe(303);
    await waitFor('401', async () => (await lookUp(key)).status === 401);
    // The key that it replaced counts again, so the only place in the plan is free only without it.
    const replaced = user.page.getByRole('listitem').filter({ hasText: 'active until' });
    await replaced.getByRole('link', { name: /^Revoke/ }).click();
    expect(await user.submit('Revoke the key')).toBe(303);
    expect(await user.submit('Create the key', { Name: HOSTILE })).toBe(200);
    key = shownKey(await user.words(), 'live');
    expect(await user.words()).toContain(HOSTILE);
    expect(await user.page.locator('img').count()).toBe(0);
    await waitFor('the new key to work', async () => (await lookUp(key)).status === 200);
  });

  it('a key can do only what its owner allows, and its daily limit is shown', async () => {
    await user.open('/keys');
    const row = user.page.getByRole('listitem').filter({ hasText: key.slice(-4) });
    expect(await row.textContent()).toContain('all scopes');
    await row.getByRole('link', { name: /^Edit/ }).click();
    await user.page.getByRole('heading', { name: HOSTILE }).waitFor();
    await user.examine();
    const limit = 'Credits a day at most';
    expect(await user.submit('Save', { [limit]: 'many' })).toBe(400);
    await user.page.getByRole('alert').waitFor();
    await user.page.getByLabel('whois', { exact: true }).uncheck();
    expect(await user.submit('Save', { [limit]: '5000' })).toBe(303);
    expect(await row.textContent()).toMatch(
      /except whois, keys:write\s*at most 5,000 credits a day/,
    );
    await waitFor('403', async () => (await lookUp(key)).status === 403);
    await row.getByRole('link', { name: /^Edit/ }).click();
    await user.page.getByLabel('whois', { exact: true }).check();
    await user.submit('Save', { [limit]: '' });
    expect(await row.textContent()).not.toContain('credits a day');
    await waitFor('the key to work', async () => (await lookUp(key)).status === 200);
  });

  it('a key beyond the plan’s limit is created in the paused state, and the page says so', async () => {
    await user.open('/keys');
    expect(await user.submit('Create the key', { Name: 'One more' })).toBe(200);
    expect(await user.page.getByRole('alert').textContent()).toMatch(
      /This key is paused.*revoke an older live key/,
    );
    const row = user.page.getByRole('listitem').filter({ hasText: 'One more' });
    expect(await row.textContent()).toContain('paused');
    await user.examine();
  });

  it('after ten minutes, the password must be entered again before a key is changed', async () => {
    deployment.clock.advance(11 * MINUTE_MS);
    await user.open('/keys');
    expect(await user.submit('Create the key', { Name: 'Later' })).toBe(403);
    expect(await user.title()).toBe('Your password, please');
    await user.examine();
    expect(await user.submit('Continue', { Password: 'not the password' })).toBeGreaterThan(399);
    expect(await user.submit('Continue', { Password: PASSWORD })).toBe(303);
    expect(await user.title()).toBe('API keys');
  });

  it('a log-out ends the session in every tab, and a log-in starts another', async () => {
    const tab = await user.context.newPage();
    await user.open('/');
    await user.submit('Log out');
    await tab.goto('/account');
    expect(new URL(tab.url()).pathname).toBe('/log-in');
    await tab.close();
    await user.open('/log-in');
    const wrong = await user.submit('Log in', { 'E-mail': EMAIL, Password: 'not this one' });
    expect(wrong).toBe(401);
    await user.examine();
    expect(await user.submit('Log in', { Password: PASSWORD })).toBe(303);
    expect(await user.title()).toBe('Overview');
  });

  it('a forgotten password is replaced through the mailed link, and the old password stops working', async () => {
    await user.submit('Log out');
    await user.open('/log-in');
    await user.follow('Forgot the password?');
    expect(await user.submit('Send the link', { 'E-mail': EMAIL })).toBe(200);
    await user.followMail(EMAIL, 'Set a new password');
    expect(await user.submit('Set the password', { 'New password': NEW_PASSWORD })).toBe(200);
    await user.examine();
    const old = await user.submit('Log in', { 'E-mail': EMAIL, Password: PASSWORD });
    expect(old).toBe(401);
    expect(await user.submit('Log in', { 'E-mail': EMAIL, Password: NEW_PASSWORD })).toBe(303);
  });

  it('the account page explains the consequences of a deletion, which ends the session and the keys', async () => {
    await user.follow('Account');
    const words = await user.words();
    for (const consequence of [NAME, EMAIL, 'keys', '90 days', 'forfeited', 'erased']) {
      expect(words).toContain(consequence);
    }
    await user.examine();
    expect(await user.submit('Delete the account', { Password: 'no' })).toBeGreaterThan(399);
    expect(await user.submit('Delete the account', { Password: NEW_PASSWORD })).toBe(200);
    expect(await user.title()).toBe('The account is deleted');
    await user.examine();
    const cookies = await user.context.cookies();
    expect(cookies.map(({ name }) => name)).not.toContain('__Host-session');
    await waitFor('403', async () => (await lookUp(key)).status === 403);
  });

  it('a log-in to the deleted account leads to the restore page, and its button restores it', async () => {
    await user.open('/log-in');
    await user.submit('Log in', { 'E-mail': EMAIL, Password: NEW_PASSWORD });
    expect(await user.title()).toBe('This account is deleted');
    await user.examine();
    expect(await user.submit('Restore the account')).toBe(303);
    expect(await user.title()).toBe('Overview');
    await user.follow('Keys');
    expect(await user.words()).toContain('revoked');
    await user.open(deployment.mailboxUrl);
    await user.examine();
  });

  it('without JavaScript, the same forms work, from the sign-up to a key and the log-out', async () => {
    const plain = await BrowserUser.arrive(browser, deployment, { javaScriptEnabled: false });
    const email = 'plain@story.example';
    await plain.open('/sign-up');
    await plain.submit('Create the account', {
      'First name': 'Łucja',
      'E-mail': email,
      Password: PASSWORD,
    });
    await plain.followMail(email, 'Confirm your e-mail address');
    expect(await plain.submit('Confirm my address', { Password: PASSWORD })).toBe(200);
    const plainKey = shownKey(await plain.words(), 'live');
    await waitFor('the key to work', async () => (await lookUp(plainKey)).status === 200);
    await plain.open('/keys');
    expect(await plain.words()).toContain(plainKey.slice(-4));
    expect(await plain.submit('Log out')).toBe(303);
    await plain.open('/keys');
    expect(await plain.title()).toBe('Log in');
    expect(plain.takeFaults()).toEqual([]);
    await plain.leave();
  });

  let names = 0;
  async function lookUp(apiKey: string): Promise<Response> {
    const url = `${deployment.apiUrl}/v2.0/whois/live?domainName=browser-${++names}.com`;
    return fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  }
});

function shownKey(words: string, environment: 'live' | 'test'): string {
  return words.match(new RegExp(`dds_${environment}_[0-9A-Za-z]{36}`))?.[0] ?? '';
}
