import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, CDPSession } from 'playwright-core';
import { waitFor } from '#test/environment';
import { appCode } from '../account/authenticator-app.js';
import { BrowserUser, hasBrowser, openBrowser } from './browser-user.js';
import { Customer } from './customer.js';
import { type Deployment, openSolo } from './deployment.js';

/**
 * Sessions, an authenticator app, and a phone or laptop that unlocks automatically, simulated through the DevTools
 * protocol. Each step builds on the previous ones.
 */
(hasBrowser ? describe : describe.skip)('in one process: ways to log in, in a browser', () => {
  let deployment: Deployment;
  let browser: Browser;
  let customer: Customer;
  let user: BrowserUser;
  let devtools: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    deployment = await openSolo();
    browser = await openBrowser();
    customer = new Customer(deployment, 'pia@passkeys.example', 'Pia');
    await customer.join();
    user = await BrowserUser.arrive(browser, deployment);
    await user.open('/log-in');
    expect(await user.submit('Log in', logIn())).toBe(303);
    devtools = await user.context.newCDPSession(user.page);
    await devtools.send('WebAuthn.enable');
    ({ authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    }));
  });
  afterEach(() => {
    const faults = user.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
    expect(faults).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await deployment?.stop();
  });

  const logIn = () => ({ 'E-mail': customer.email, Password: customer.password });
  const press = (button: string) =>
    user.page.getByRole('button', { name: button, exact: true }).click();
  const isAt = (title: string) =>
    waitFor(`the page "${title}"`, async () => (await user.title()) === title);
  const said = () => user.page.locator('[data-said]').innerText();
  const verifies = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const credentials = async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

  it('S27: on the sessions page, a user can end one session, or all except the current one', async () => {
    const others = await Promise.all(
      Array.from({ length: 2 }, async () => {
        const other = await BrowserUser.arrive(browser, deployment);
        await other.open('/log-in');
        await other.submit('Log in', logIn());
        return other;
      }),
    );
    await user.open('/account');
    await user.follow('Security: ways to log in, and where you are logged in');
    await user.examine();
    const ends = user.page.getByRole('link', { name: /^End the session of/ });
    expect(await ends.count()).toBe(3);
    await ends.first().click();
    await user.page.getByRole('heading', { name: 'End this session?' }).waitFor();
    await user.examine();
    expect(await user.submit('End the session')).toBe(303);
    expect(await ends.count()).toBe(2);
    await user.follow('End all other sessions');
    expect(await user.submit('End all other sessions')).toBe(200);
    expect(await user.page.getByRole('status').textContent()).toBe('2 sessions were ended.');
    for (const other of others) {
      await other.open('/account');
      expect(await other.title()).toBe('Log in');
      await other.leave();
    }
    await user.open('/account');
    expect(await user.title()).toBe('Account');
  });

  it('S33: an app is set up with a code, a log-in then requires a code, and recovery codes log in and remove the app', async () => {
    const change = async (button: string) => {
      await user.submit(button);
      // The log-in may have been more than ten minutes ago.
      if ((await user.title()) !== 'Your password, please') return;
      await user.submit('Continue', { Password: customer.password });
      await user.submit(button);
    };
    await user.open('/security');
    await change('Set up an app');
    await user.page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    await user.examine();
    const secret = (await user.page.locator('main code').innerText()).replaceAll(' ', '');
    expect(await user.submit('Turn it on', { Code: 'wrong' })).toBe(401);
    await user.examine();
    await user.submit('Turn it on', { Code: appCode(secret, deployment.clock.now()) });
    await user.examine();
    const [first, second] = (await user.page.locator('pre code').innerText()).split('\n');
    const other = await BrowserUser.arrive(browser, deployment);
    await other.open('/log-in?to=%2Fkeys');
    await other.submit('Log in', logIn());
    expect(await other.title()).toBe('Your code, please');
    await other.examine();
    expect(await other.submit('Log in', { Code: first })).toBe(303);
    expect(new URL(other.page.url()).pathname).toBe('/keys');
    await other.leave();
    await user.open('/security/app/remove');
    await user.examine();
    expect(await user.submit('Remove the app', { Code: second })).toBe(303);
    await user.page.getByRole('button', { name: 'Set up an app' }).waitFor();
  });

  it('S34: a discoverable passkey with a name is created on the security page and listed, and the same device cannot add a second one', async () => {
    await user.open('/security');
    await press('Add a passkey');
    await isAt('Add a passkey');
    await user.examine();
    await user.page.getByLabel('Name').fill('My <b>laptop');
    await press('Create the passkey');
    await isAt('Security');
    expect(await user.words()).toContain('My <b>laptop');
    await user.examine();
    expect(await credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await press('Add a passkey');
    await isAt('Add a passkey');
    await press('Create the passkey');
    await waitFor('the reason', async () => /already has a passkey/.test(await said()));
  });

  it('S34: a passkey logs the owner in with one click, but not if the fingerprint is unknown', async () => {
    await user.open('/');
    await press('Log out');
    await user.open('/log-in?to=/keys');
    await user.examine();
    await verifies(false);
    await press('Log in with a passkey');
    await waitFor('the reason', async () => /No passkey was used/.test(await said()));
    await verifies(true);
    await press('Log in with a passkey');
    await isAt('API keys');
  });

  it('S34: a passkey is rejected if it was removed, or if its counter shows that it was copied, and the form says so', async () => {
    const [{ credentialId, signCount, ...rest }] = await credentials();
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    const credential = { ...rest, credentialId, signCount: 0 };
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential });
    const refusedLogIn = async () => {
      await user.open('/');
      await press('Log out');
      await user.open('/log-in');
      await press('Log in with a passkey');
      await waitFor('the refusal', async () =>
        (await user.words()).includes('That passkey was not accepted'),
      );
      expect(await user.submit('Log in', logIn())).toBe(303);
    };
    expect(signCount).toBeGreaterThan(1);
    await refusedLogIn();
    await user.open('/security');
    await user.follow('Rename the passkey My <b>laptop');
    expect(await user.submit('Save', { Name: 'Old <i>laptop' })).toBe(303);
    await user.follow('Remove the passkey Old <i>laptop');
    expect(await user.submit('Remove the passkey')).toBe(303);
    expect(await user.words()).not.toContain('laptop');
    await refusedLogIn();
  });
});
