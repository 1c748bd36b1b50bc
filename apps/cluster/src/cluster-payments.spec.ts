import { expect, it } from '@jest/globals';
import { readBy } from '#libs/services';
import { billing } from '../../billing/src/service.js';
import { paymentsOf } from './cluster-payments.js';

it.each([
  ['no key', {}, 'simulated'],
  ['a key', { STRIPE_API_KEY: 'sk_test_own' }, { STRIPE_API_KEY: 'sk_test_own' }],
  ['a key in a file', { STRIPE_API_KEY_FILE: '/key' }, { STRIPE_API_KEY_FILE: '/key' }],
  ['a blank key', { STRIPE_API_KEY: '', PATH: '/bin' }, { STRIPE_API_KEY: '' }],
])(
  'with %s, the cluster uses the payments of the operator’s settings',
  (_, environment, payments) => {
    expect(paymentsOf(environment)).toEqual(payments);
  },
);

it('billing gets the key in a file', () => {
  const key = { STRIPE_API_KEY_FILE: '/key' };
  expect(readBy(billing, { ...key, LOOKUP_KEEP: 'all' })).toEqual(key);
});
