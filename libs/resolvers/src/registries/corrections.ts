/** Manually verified corrections to the published lists of registries' servers. */

/** Working RDAP services that IANA's bootstrap file does not list, by suffix. */
export const RDAP_BESIDE_IANA: Record<string, string> = {
  ch: 'https://rdap.nic.ch/',
  de: 'https://rdap.denic.de/',
  li: 'https://rdap.nic.li/',
};

/** Port-43 hosts that moved, by suffix. */
export const CORRECTED_PORT43: Record<string, string> = {
  dk: 'whois.punktum.dk',
};

/** Suffixes whose registry has closed port 43 and supports only RDAP. */
export const CLOSED_PORT43: ReadonlySet<string> = new Set([
  'info',
  'jobs',
  'mobi',
  'pn',
  'pro',
  'travel',
]);

/**
 * Hosts that no longer belong to a registry. Anyone can register a lapsed name and then answer for a whole top-level
 * domain: the former .mobi host was bought for the price of a domain, and received 2.5 million queries within days
 * (watchTowr, 2024). These hosts are never contacted, even if a table or a referral names them.
 */
export const DEAD_HOSTS: ReadonlySet<string> = new Set(['whois.dotmobiregistry.net']);
