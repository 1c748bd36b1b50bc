import { expect, it } from '@jest/globals';
import { ConfigurationError, loadConfig } from '#libs/platform';
import { BillingConfig } from './billing.config.js';

const PAYPAL = {
  BILLING_PAYPAL_CLIENT_ID: 'a client',
  BILLING_PAYPAL_CLIENT_SECRET: 'a secret of the tests',
  BILLING_PAYPAL_WEBHOOK_IDS: '5GP028458E2496506',
};

/** Faults of the settings of PayPal alone. */
function faultsOf(settings: Record<string, string | undefined>): string[] {
  try {
    loadConfig(BillingConfig, settings);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.filter((fault) => fault.includes('BILLING_PAYPAL_'));
  }
}

it('PayPal is left out, or given whole', () => {
  expect(faultsOf({})).toEqual([]);
  expect(faultsOf(PAYPAL)).toEqual([]);
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
])('%j is a fault at the start', (change, named) => {
  expect(faultsOf({ ...PAYPAL, ...change })).toEqual([expect.stringContaining(named)]);
});
