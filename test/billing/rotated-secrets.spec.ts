import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChosenProcessor } from '#libs/contracts';
import { Logger, type Loop, followFiles } from '#libs/platform';
import { waitFor } from '#test/environment';
import { BillingUnderTest, CALLBACK_SECRET } from './billing-under-test.js';

const EVERY_MS = 20;
const OLD_KEY = 'sk_test_simulator';
const NEW_KEY = 'sk_test_thenextone';
const NEW_CALLBACK_SECRET = 'the next secret of the callback endpoint';
const NEW_PAYPAL_SECRET = 'the next secret of the PayPal app';

describe('payment processors’ secrets that are rotated while billing runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rotated-'));
  let billing: BillingUnderTest;
  let following: Loop;

  const hold = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    const { config } = billing;
    hold('STRIPE_API_KEY', OLD_KEY);
    hold('STRIPE_CALLBACK_SECRETS', CALLBACK_SECRET);
    hold('BILLING_PAYPAL_CLIENT_SECRET', config.paypalClientSecret as string);
    const names = ['STRIPE_API_KEY', 'STRIPE_CALLBACK_SECRETS', 'BILLING_PAYPAL_CLIENT_SECRET'];
    const environment = {
      BILLING_DATABASE_URL: config.databaseUrl,
      BILLING_MAINTENANCE_DATABASE_URL: config.maintenanceDatabaseUrl,
      BILLING_AUDITOR_DATABASE_URL: config.auditorDatabaseUrl,
      ACCOUNT_URL: config.accountUrl,
      ENTITLEMENT_URL: config.entitlementUrl,
      SERVICE_SECRET: config.serviceSecret as string,
      INVOICE_DATA_SECRET: config.invoiceDataSecret,
      BILLING_PAYPAL_CLIENT_ID: config.paypalClientId,
      BILLING_PAYPAL_WEBHOOK_IDS: config.paypalWebhookIds.join(),
      ...Object.fromEntries(names.map((name) => [`${name}_FILE`, join(folder, name)])),
    };
    const logger = new Logger('test', { write: () => undefined });
    following = followFiles([config], { logger, environment, everyMs: EVERY_MS });
  });
  afterAll(async () => {
    await following?.stop();
    await billing?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Places and pays for an order, which needs a call to the processor's API and an accepted callback. */
  async function isSold(processor: ChosenProcessor): Promise<void> {
    const accountId = billing.newAccount();
    const order = await billing.order(accountId, 15_000, processor);
    await billing.act(order, 'pay');
    expect(await billing.stateOf(accountId, order)).toBe('paid');
  }

  it('S113: an order can be paid through Stripe after Stripe’s old key has been revoked', async () => {
    await isSold('stripe');
    hold('STRIPE_API_KEY', NEW_KEY);
    await waitFor('the new key', () => billing.config.stripeApiKey === NEW_KEY);
    billing.simulator.stripe.endedKeys.add(OLD_KEY);
    await isSold('stripe');
    hold('STRIPE_API_KEY', OLD_KEY);
    await waitFor('the old key', () => billing.config.stripeApiKey === OLD_KEY);
    await expect(isSold('stripe')).rejects.toThrow('processor_unavailable');
    hold('STRIPE_API_KEY', NEW_KEY);
    await waitFor('the new key', () => billing.config.stripeApiKey === NEW_KEY);
  });

  it('S113: Stripe’s callbacks are accepted at each step of a rotation; afterwards, the old secret no longer works', async () => {
    const { callbacks } = billing.simulator;
    const signWith = (secret: string) => {
      if (callbacks.target) callbacks.target = { ...callbacks.target, secret };
    };
    const accepts = async (...secrets: string[]) => {
      hold('STRIPE_CALLBACK_SECRETS', secrets.join());
      const isTaken = () => billing.config.stripeCallbackSecrets.join() === secrets.join();
      await waitFor('the secrets', isTaken);
    };
    await accepts(NEW_CALLBACK_SECRET, CALLBACK_SECRET);
    await isSold('stripe');
    signWith(NEW_CALLBACK_SECRET);
    await isSold('stripe');
    await accepts(NEW_CALLBACK_SECRET);
    await isSold('stripe');
    const statuses = callbacks.deliveries.map(({ status }) => status);
    expect(statuses.filter((status) => status >= 300)).toEqual([]);
    signWith(CALLBACK_SECRET);
    const order = await billing.order(billing.newAccount());
    const refused = () => callbacks.deliveries.some(({ status }) => status === 400);
    await Promise.all([
      billing.act(order, 'pay'),
      waitFor('the refusal', refused).then(() => signWith(NEW_CALLBACK_SECRET)),
    ]);
  });

  it('S113: an order can be paid through PayPal after PayPal’s old client secret has been revoked', async () => {
    const old = billing.config.paypalClientSecret as string;
    await isSold('paypal');
    hold('BILLING_PAYPAL_CLIENT_SECRET', NEW_PAYPAL_SECRET);
    await waitFor('the new one', () => billing.config.paypalClientSecret === NEW_PAYPAL_SECRET);
    billing.simulator.paypal.api.endSecret(old);
    await isSold('paypal');
    hold('BILLING_PAYPAL_CLIENT_SECRET', old);
    await waitFor('the old one', () => billing.config.paypalClientSecret === old);
    billing.simulator.paypal.api.endSecret(old);
    await expect(isSold('paypal')).rejects.toThrow('processor_unavailable');
  });
});
