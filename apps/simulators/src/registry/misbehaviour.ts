export interface Exchange {
  protocol: 'rdap' | 'whois43';
  role: 'registry' | 'registrar';
}

/** The faults that an exchange can have. `Port43Server` and `RdapServer` simulate their effects on the wire. */
export const MISBEHAVIOURS = [
  'throttled',
  'throttled-without-hint',
  'unavailable',
  'refused',
  'reset',
  'drip',
  'silent',
  'never-closes',
  'garbage',
  'empty',
  'huge',
  'html',
  'latin-1',
  'deep-json',
  'redirect-loop',
  'redirect-to-http',
  'redirect-to-private',
  'lying-registrar',
  'disagreeing-registrar',
  'refers-to-itself',
  'refers-to-loopback',
  'refers-to-private',
  'refers-to-port',
  'refers-to-closed-port',
  'refers-endlessly',
  'refers-to-expired-certificate',
  'refers-to-untrusted-certificate',
] as const;

export type Misbehaviour = (typeof MISBEHAVIOURS)[number];

const SCOPES = ['registrar-rdap', 'registrar-whois', 'registrar', 'rdap', 'whois'] as const;

const LONGEST_FIRST = [...MISBEHAVIOURS].sort((a, b) => b.length - a.length);

/**
 * Derives a fault from a name: `throttled-shop.com` is throttled everywhere, `rdap-throttled-shop.com` over RDAP only,
 * `registrar-whois-drip-shop.com` at the registrar's port 43 only. Returns undefined if the exchange succeeds.
 */
export function misbehaviourOf(domain: string, exchange: Exchange): Misbehaviour | undefined {
  const scope = SCOPES.find((prefix) => domain.startsWith(`${prefix}-`) && named(domain, prefix));
  if (scope !== undefined && !covers(scope, exchange)) return undefined;
  return named(domain, scope);
}

function named(domain: string, scope: string | undefined): Misbehaviour | undefined {
  const label = domain.slice(scope === undefined ? 0 : scope.length + 1, domain.indexOf('.'));
  return LONGEST_FIRST.find((name) => label === name || label.startsWith(`${name}-`));
}

function covers(scope: (typeof SCOPES)[number], exchange: Exchange): boolean {
  if (scope.startsWith('registrar') && exchange.role !== 'registrar') return false;
  if (scope.endsWith('rdap')) return exchange.protocol === 'rdap';
  return scope.endsWith('whois') ? exchange.protocol === 'whois43' : true;
}
