/** Requests are counted per account and class; each class has its own limit. */
export const RATE_CLASSES = ['live', 'bulk', 'heavy', 'account'] as const;
export type RateClass = (typeof RATE_CLASSES)[number];

/** Requests per minute of class `account` (keys, usage, job polling), the same for every plan. */
export const ACCOUNT_CLASS_LIMIT = 60;

/** What a key may be allowed to do. A new key has all but `keys:write`. */
export const SCOPES = [
  'whois',
  'ip',
  'asn',
  'dns',
  'availability',
  'subdomains',
  'typos',
  'reputation',
  'bulk',
  'monitors',
  'files',
  'account:read',
  'keys:write',
] as const;
export type Scope = (typeof SCOPES)[number];

export const DEFAULT_SCOPES: readonly Scope[] = SCOPES.filter((scope) => scope !== 'keys:write');

/** One priced operation of the API. */
export interface Operation {
  name: string;
  class: RateClass;
  scope: Scope;
  /** Credits for a charged answer. */
  cost: number;
}

/** Operations that the gateway routes today. */
export const OPERATIONS = {
  whoisLive: { name: 'whois.live', class: 'live', scope: 'whois', cost: 1 },
} as const satisfies Record<string, Operation>;
