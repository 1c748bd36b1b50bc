import { describe, expect, it } from '@jest/globals';
import { hiddenClientsOf } from './client-address.js';

describe('the addresses of customers', () => {
  const home = {
    baseUrl: 'http://localhost:8080',
    billingUrl: 'http://127.0.0.1:8081',
    trustedProxies: [],
  };

  it.each([{ baseUrl: 'https://api.example.org' }, { billingUrl: 'http://my.example.org' }])(
    'S22: a start with %p and no trusted proxy warns that they are hidden',
    (origin) => {
      expect(hiddenClientsOf({ ...home, ...origin })).toContain('GATEWAY_TRUSTED_PROXIES');
      const trusted = { ...home, ...origin, trustedProxies: ['10.0.0.0/8'] };
      expect(hiddenClientsOf(trusted)).toBeUndefined();
    },
  );

  it('where everything is on one machine there is nothing to warn of', () => {
    expect(hiddenClientsOf(home)).toBeUndefined();
  });
});
