import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, CDPSession } from 'playwright-core';
import { waitFor } from '#test/environment';
import { chromiumPath } from '../environment/chromium.js';
import { hasBrowser } from '../stories/browser.story.js';
import { Customer } from '../stories/customer.js';
import { type Deployment, openSolo } from '../stories/deployment.js';
import { Visitor, openBrowser } from '../stories/visitor.js';

/** The whole product and a browser start in it. */
jest.setTimeout(300_000);

/** A telephone or laptop that unlocks by itself; of the DevTools protocol. The steps build on one another. */
(hasBrowser ? describe : describe.skip)('a passkey in a real browser', () => {
  let deployment: Deployment;
  let browser: Browser;
  let customer: Customer;
  let visitor: Visitor;
  let devtools: CDPSession;
  let authenticatorId: string;

  beforeAll(async () => {
    deployment = await openSolo();
    browser = await openBrowser(chromiumPath() as string);
    customer = new Customer(deployment, 'pia@passkeys.example', 'Pia');
    await customer.join();
    visitor = await Visitor.arrive(browser, deployment);
    devtools = await visitor.context.newCDPSession(visitor.page);
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
  afterAll(async () => {
    await browser?.close();
    await deployment?.stop();
  });
  afterEach(() => {
    const faults = visitor.takeFaults().filter((fault) => !/status of 4\d\d/.test(fault));
    expect(faults).toEqual([]);
  });

  const press = (button: string) =>
    visitor.page.getByRole('button', { name: button, exact: true }).click();
  const isAt = (title: string) =>
    waitFor(`the page "${title}"`, async () => (await visitor.title()) === title);
  const said = () => visitor.page.locator('[data-said]').innerText();
  const verifies = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  const credentials = async () =>
    (await devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

  it('S34: is created on the security page under our policy, with a name, and listed', async () => {
    await visitor.open('/log-in');
    const fields = { 'E-mail': customer.email, Password: customer.password };
    expect(await visitor.submit('Log in', fields)).toBe(303);
    await visitor.open('/security');
    await press('Add a passkey');
    await isAt('Add a passkey');
    await visitor.examine();
    await visitor.page.getByLabel('Name').fill('My <b>laptop');
    await press('Create the passkey');
    await isAt('Security');
    expect(await visitor.words()).toContain('My <b>laptop');
    await visitor.examine();
    expect(await credentials()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await press('Add a passkey');
    await isAt('Add a passkey');
    await press('Create the passkey');
    await waitFor('the reason', async () => /has a passkey of the account/.test(await said()));
  });

  it('S34: opens the account with one click, and not with an unknown fingerprint', async () => {
    await visitor.open('/');
    await press('Log out');
    await visitor.open('/log-in?to=/keys');
    await visitor.examine();
    await verifies(false);
    await press('Log in with a passkey');
    await waitFor('the reason', async () => /No passkey was used/.test(await said()));
    await verifies(true);
    await press('Log in with a passkey');
    await isAt('API keys');
  });

  it('S34: that was removed, or counts like a copy, is rejected, and the form says so', async () => {
    const [{ credentialId, signCount, ...rest }] = await credentials();
    await devtools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
    const credential = { ...rest, credentialId, signCount: 0 };
    await devtools.send('WebAuthn.addCredential', { authenticatorId, credential });
    const refusedLogIn = async () => {
      await visitor.open('/');
      await press('Log out');
      await visitor.open('/log-in');
      await press('Log in with a passkey');
      await waitFor('the refusal', async () =>
        (await visitor.words()).includes('That passkey was not accepted'),
      );
      const fields = { 'E-mail': customer.email, Password: customer.password };
      expect(await visitor.submit('Log in', fields)).toBe(303);
    };
    expect(signCount).toBeGreaterThan(1);
    await refusedLogIn();
    await visitor.open('/security');
    await visitor.follow('Rename the passkey My <b>laptop');
    expect(await visitor.submit('Save', { Name: 'Old <i>laptop' })).toBe(303);
    await visitor.follow('Remove the passkey Old <i>laptop');
    expect(await visitor.submit('Remove the passkey')).toBe(303);
    expect(await visitor.words()).not.toContain('laptop');
    await refusedLogIn();
  });
});
