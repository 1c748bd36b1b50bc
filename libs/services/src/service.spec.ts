import { describe, expect, it } from '@jest/globals';
import { installed } from './installation-settings.js';
import type { AnyService } from './service.js';

const service = (name: string, requires?: string[]) => ({ name, requires }) as AnyService;

describe('services of an installation', () => {
  const services = [service('account'), service('billing', ['STRIPE_API_KEY', 'PAYPAL_ID'])];
  const namesWith = (settings: Record<string, string>) =>
    installed(services, settings).map(({ name }) => name);

  it('a service that needs one of several settings runs if one is set, as a value or a file', () => {
    expect(namesWith({ STRIPE_API_KEY: 'sk_test_1' })).toEqual(['account', 'billing']);
    expect(namesWith({ PAYPAL_ID: 'an id' })).toEqual(['account', 'billing']);
    expect(namesWith({ STRIPE_API_KEY_FILE: '/run/secrets/key' })).toEqual(['account', 'billing']);
  });

  it.each([{}, { STRIPE_API_KEY: ' ' }, { STRIPE_API_KEY_FILE: '' }])(
    'with %j, the installation runs without the service',
    (settings) => {
      expect(namesWith(settings as Record<string, string>)).toEqual(['account']);
    },
  );
});
