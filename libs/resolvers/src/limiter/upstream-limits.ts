/** At most `burst + perSecond × t` queries within any `t` seconds. */
export interface BucketTerms {
  burst: number;
  perSecond: number;
}

/** The limits of an upstream: each bucket must have a token, and the number of connections is limited. */
export interface UpstreamLimit {
  buckets: readonly BucketTerms[];
  connections: number;
}

const DAY_SECONDS = 86_400;

/** The limit for hosts without a published or chosen limit. */
export const DEFAULT_LIMIT: UpstreamLimit = {
  buckets: [{ burst: 5, perSecond: 1 }],
  connections: 4,
};

/** Published limits by host. The burst plus the refill of each bucket stay within the published figure. */
export const PUBLISHED_LIMITS: ReadonlyMap<string, UpstreamLimit> = new Map(
  Object.entries({
    // CentralNic: 1,800 in 15 minutes per address range.
    'whois.centralnic.com': { buckets: [{ burst: 100, perSecond: 1700 / 900 }], connections: 4 },
    // Nominet's acceptable use policy: 5 per second and 1,000 in 24 hours.
    'whois.nic.uk': {
      buckets: [
        { burst: 3, perSecond: 2 },
        { burst: 100, perSecond: 900 / DAY_SECONDS },
      ],
      connections: 2,
    },
    // .ie acceptable use policy: 100 in 24 hours per address.
    'whois.weare.ie': { buckets: [{ burst: 20, perSecond: 80 / DAY_SECONDS }], connections: 2 },
    // LACNIC's notices: 10 per minute.
    'rdap.lacnic.net': { buckets: [{ burst: 2, perSecond: 8 / 60 }], connections: 2 },
  }),
);

/** Registries that answer for millions of names and publish no limit for RDAP. */
const LARGE: UpstreamLimit = { buckets: [{ burst: 20, perSecond: 10 }], connections: 4 };

/**
 * Rates that we chose because none is published. They are modest rates for services with very many names; with
 * `DEFAULT_LIMIT`, each name would wait for all others. A 429 pauses these services like any other.
 */
export const CHOSEN_LIMITS: ReadonlyMap<string, UpstreamLimit> = new Map(
  Object.entries({
    'rdap.verisign.com': LARGE, // com, net
    'tld-rdap.verisign.com': LARGE, // cc, name and Verisign's other top-level domains
    'rdap.publicinterestregistry.org': LARGE, // org
    'rdap.identitydigital.services': LARGE, // some 450 top-level domains, including info
    'pubapi.registry.google': LARGE, // app, dev and Google's others
    // CentralNic limits port 43 to 2 per second (above) but not its RDAP: xyz and 90 others.
    'rdap.centralnic.com': LARGE,
    'rdap.radix.host': LARGE, // online, store, site
    'rdap.gmoregistry.net': LARGE, // shop
    // uk and 80 brands. Nominet's policy (above) is about its WHOIS service, but we also respect its 5 per second here,
    // without the daily limit.
    'rdap.nominet.uk': { buckets: [{ burst: 3, perSecond: 2 }], connections: 2 },
  }),
);
