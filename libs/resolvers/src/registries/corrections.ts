/** Facts checked by hand that the published lists do not have, or have wrong. */

/** RDAP services in operation that IANA's bootstrap does not list, by suffix. */
export const rdapBesideIana: Record<string, string> = {
  ch: 'https://rdap.nic.ch/',
  de: 'https://rdap.denic.de/',
  li: 'https://rdap.nic.li/',
};

/** Port-43 hosts that moved, by suffix. */
export const correctedPort43: Record<string, string> = {
  dk: 'whois.punktum.dk',
};

/** Suffixes whose registry has closed port 43 and speaks RDAP only. */
export const closedPort43: ReadonlySet<string> = new Set([
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
export const deadHosts: ReadonlySet<string> = new Set(['whois.dotmobiregistry.net']);
