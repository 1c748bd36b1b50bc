/** Facts checked by hand that the published lists do not have, or have wrong. */

/** RDAP services in operation that IANA's bootstrap does not list, by suffix. */
export const RDAP_BESIDE_IANA: Record<string, string> = {
  ch: 'https://rdap.nic.ch/',
  de: 'https://rdap.denic.de/',
  li: 'https://rdap.nic.li/',
};

/** Port-43 hosts that moved, by suffix. */
export const CORRECTED_PORT43: Record<string, string> = {
  dk: 'whois.punktum.dk',
};

/** Suffixes whose registry has closed port 43 and speaks RDAP only. */
export const CLOSED_PORT43: ReadonlySet<string> = new Set([
  'info',
  'jobs',
  'mobi',
  'pn',
  'pro',
  'travel',
]);

/**
 * Hosts that no longer belong to a registry. A name that lapsed can be registered by anybody, who
 * then answers for a whole top-level domain: the former .mobi host was bought for the price of a
 * domain and was asked 2.5 million times within days (watchTowr, 2024). Never connected to, be it
 * from a table or from a referral.
 */
export const DEAD_HOSTS: ReadonlySet<string> = new Set(['whois.dotmobiregistry.net']);
