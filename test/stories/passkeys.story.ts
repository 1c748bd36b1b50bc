import { afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser, CDPSession } from 'playwright-core';
import { waitFor } from '#test/environment';
import { BrowserUser } from './browser-user.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

/**
 * A phone or laptop that unlocks automatically, simulated through the DevTools protocol. Each step builds on the
 * previous one.
 */
export function passkeys(open: () => { deployment: Deployment; browser: Browser }): void {
  let customer: Customer;
  let user: BrowserUser;
  let devtools: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    const { deployment, browser } = open();
    customer = new Customer(deployment, 'pia@passkeys.example', 'Pia');
    await customer.join();
    user = await BrowserUser.arrive(browser, deployment);
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

  const press = (button: string) =>
    user.page.getByRole('button', { name: button, exact: true }).click();
  const isAt = (title: string) =>
    waitFor(`the page "${title}"`, async () => (await user.title()) === title);
  const said = () => user.page.locator('[data-said]').innerText();
  const verifies = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const credentials = async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

  it('S34: a discoverable passkey with a name is created on the security page and listed, and the same device cannot add a second one', async () => {
    await user.open('/log-in');
    const fields = { 'E-mail': customer.email, Password: customer.password };
    expect(await user.submit('Log in', fields)).toBe(303);
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
      const fields = { 'E-mail': customer.email, Password: customer.password };
      expect(await user.submit('Log in', fields)).toBe(303);
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
}
