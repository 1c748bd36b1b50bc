/** At most `burst + perSecond × t` queries within any `t` seconds. */
export interface BucketTerms {
  burst: number;
  perSecond: number;
}

/** The limits of an upstream: each bucket must have a token, and so many connections at a time. */
export interface UpstreamLimit {
  buckets: readonly BucketTerms[];
  connections: number;
}

const DAY_SECONDS = 86_400;

/** For hosts without published limits: what registrars commonly allow (about 50 a minute). */
export const DEFAULT_LIMIT: UpstreamLimit = {
  buckets: [{ burst: 5, perSecond: 1 }],
  connections: 4,
};

/** Published limits by host; each bucket keeps burst plus refill within the published figure. */
export const PUBLISHED_LIMITS: ReadonlyMap<string, UpstreamLimit> = new Map(
  Object.entries({
    // CentralNic: 1,800 in 15 minutes for an address range.
    'whois.centralnic.com': { buckets: [{ burst: 100, perSecond: 1700 / 900 }], connections: 4 },
    // Nominet's acceptable use policy: 5 a second and 1,000 in 24 hours.
    'whois.nic.uk': {
      buckets: [
        { burst: 3, perSecond: 2 },
        { burst: 100, perSecond: 900 / DAY_SECONDS },
      ],
      connections: 2,
    },
    // .ie acceptable use policy: 100 in 24 hours for an address.
    'whois.iedr.ie': { buckets: [{ burst: 20, perSecond: 80 / DAY_SECONDS }], connections: 2 },
    // LACNIC's notices: 10 a minute.
    'rdap.lacnic.net': { buckets: [{ burst: 2, perSecond: 8 / 60 }], connections: 2 },
  }),
);

/** Registries that answer for millions of names and publish no figure for RDAP. */
const LARGE: UpstreamLimit = { buckets: [{ burst: 20, perSecond: 10 }], connections: 4 };

/**
 * Our own choice where nothing is published: a modest pace for services that very many names share,
 * at which `defaultLimit` would let each name wait for all others. A 429 pauses them as any other.
 */
export const CHOSEN_LIMITS: ReadonlyMap<string, UpstreamLimit> = new Map(
  Object.entries({
    'rdap.verisign.com': LARGE, // com, net
    'tld-rdap.verisign.com': LARGE, // cc, name and Verisign's other top-level domains
    'rdap.publicinterestregistry.org': LARGE, // org
    'rdap.identitydigital.services': LARGE, // some 450 top-level domains, info among them
    'pubapi.registry.google': LARGE, // app, dev and Google's others
    // CentralNic limits port 43 to 2 a second (above) and its RDAP not: xyz and 90 others.
    'rdap.centralnic.com': LARGE,
    'rdap.radix.host': LARGE, // online, store, site
    'rdap.gmoregistry.net': LARGE, // shop
    // uk and 80 brands. Nominet's policy (above) is about its WHOIS service, and to be respected in
    // spirit: its 5 a second without the figure for a day.
    'rdap.nominet.uk': { buckets: [{ burst: 3, perSecond: 2 }], connections: 2 },
  }),
);
