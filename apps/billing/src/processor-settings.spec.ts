import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { ConfigurationError, loadConfig, settingsOf } from '#libs/platform';
import { configsOf } from '#libs/services';
import { SERVICES } from '../../services.js';
import { BillingConfig } from './billing.config.js';

const PAYPAL = {
  BILLING_PAYPAL_CLIENT_ID: 'a client',
  BILLING_PAYPAL_CLIENT_SECRET: 'a secret of the tests',
  BILLING_PAYPAL_WEBHOOK_IDS: '5GP028458E2496506',
};

const STRIPE = { STRIPE_API_KEY: 'sk_test_1', STRIPE_CALLBACK_SECRETS: 'whsec_of_the_tests' };

function faultsOf(settings: Record<string, string | undefined>): string[] {
  try {
    loadConfig(BillingConfig, settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.filter((fault) =>
      /^(BILLING_PAYPAL|STRIPE|BILLING_PROCESSOR)_/.test(fault),
    );
  }
}

it.each([STRIPE, PAYPAL, { ...STRIPE, ...PAYPAL }])(
  '%j is enough to accept payments',
  (settings) => {
    expect(faultsOf(settings)).toEqual([]);
  },
);

it('without a processor the service does not start, and the error names all missing settings of a processor together', () => {
  expect(faultsOf({})).toEqual([
    expect.stringMatching(/^STRIPE_API_KEY: .*BILLING_PAYPAL_CLIENT_ID/),
  ]);
  expect(faultsOf({ STRIPE_API_KEY: 'sk_test_1', BILLING_PAYPAL_CLIENT_ID: 'a client' })).toEqual([
    expect.stringContaining('STRIPE_CALLBACK_SECRETS'),
    expect.stringContaining('BILLING_PAYPAL_CLIENT_SECRET'),
    expect.stringContaining('BILLING_PAYPAL_WEBHOOK_IDS'),
  ]);
});

it('S53: a Stripe key with full access is rejected, and a restricted key is accepted', () => {
  const faultsWith = (key: string) => faultsOf({ ...STRIPE, STRIPE_API_KEY: key });
  expect(faultsWith('rk_live_1')).toEqual([]);
  expect(faultsWith('rk_test_1')).toEqual([]);
  expect(faultsWith('sk_live_1')).toEqual([expect.stringContaining('restricted key')]);
  // No message contains the key itself.
  expect(faultsWith('sk_live_secret').join()).not.toContain('sk_live_secret');
});

it('S53: only billing has settings for the processors’ keys', () => {
  const isKey = (env: string) => /^(STRIPE|BILLING_PAYPAL)_/.test(env);
  const owners = SERVICES.filter((service) =>
    configsOf(service).some((config) => settingsOf(config).some(({ env }) => isKey(env))),
  );
  expect(owners.map(({ name }) => name)).toEqual(['billing']);
});

it('S113: secrets of an unused processor may be empty or missing files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'processors-'));
  const empty = join(folder, 'empty');
  writeFileSync(empty, '\n');
  const none = { STRIPE_API_KEY_FILE: empty, STRIPE_CALLBACK_SECRETS_FILE: join(folder, 'none') };
  expect(faultsOf({ ...PAYPAL, ...none })).toEqual([]);
  expect(faultsOf({ ...STRIPE, BILLING_PAYPAL_CLIENT_SECRET_FILE: empty })).toEqual([]);
  rmSync(folder, { recursive: true });
});

it.each(['0', '-1', '1001', 'many'])(
  'a call rate of %s per second is rejected at startup',
  (rate) => {
    expect(faultsOf({ ...STRIPE, BILLING_PROCESSOR_CALLS_PER_SECOND: rate })).toHaveLength(1);
  },
);

it('the callback endpoint may have two ids', () => {
  const ids = ['5GP028458E2496506', '9XK11229LB'];
  expect(faultsOf({ ...PAYPAL, BILLING_PAYPAL_WEBHOOK_IDS: ids.join(',') })).toEqual([]);
});

it.each([
  [{ BILLING_PAYPAL_CLIENT_SECRET: undefined }, 'BILLING_PAYPAL_CLIENT_SECRET'],
  [{ BILLING_PAYPAL_CLIENT_SECRET: 'short' }, 'BILLING_PAYPAL_CLIENT_SECRET'],
  [{ BILLING_PAYPAL_WEBHOOK_IDS: undefined }, 'BILLING_PAYPAL_WEBHOOK_IDS'],
  [{ BILLING_PAYPAL_WEBHOOK_IDS: 'an id, with spaces' }, 'BILLING_PAYPAL_WEBHOOK_IDS'],
  [{ BILLING_PAYPAL_WEBHOOK_IDS: 'AAAAAAAA1,AAAAAAAA2,AAAAAAAA3' }, 'BILLING_PAYPAL_WEBHOOK_IDS'],
  [{ BILLING_PAYPAL_API_URL: 'paypal' }, 'BILLING_PAYPAL_API_URL'],
])('%j is rejected at startup', (change, named) => {
  expect(faultsOf({ ...PAYPAL, ...change })).toEqual([expect.stringContaining(named)]);
});
