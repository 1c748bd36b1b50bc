import { describe, expect, it } from '@jest/globals';
import { hiddenClientsOf } from './hidden-clients.js';

describe('customers’ addresses', () => {
  const settings = { origin: 'BASE_URL', trustedProxies: 'GATEWAY_TRUSTED_PROXIES' };
  const listener = { origin: 'https://api.example.org', trustedProxies: [], settings };

  it('S22: with a public origin and no trusted proxy, customers’ addresses are reported as hidden at startup', () => {
    expect(hiddenClientsOf(listener)).toContain('GATEWAY_TRUSTED_PROXIES');
    expect(hiddenClientsOf({ ...listener, trustedProxies: ['10.0.0.0/8'] })).toBeUndefined();
  });

  it.each(['http://localhost:8080', 'http://127.0.0.1:8080'])(
    'if everything is on one machine (%s), there is no warning',
    (origin) => {
      expect(hiddenClientsOf({ ...listener, origin })).toBeUndefined();
    },
  );
});
