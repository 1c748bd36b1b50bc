/** Manually verified corrections to the published lists of registries' servers. */

/** Working RDAP services that IANA's bootstrap file does not list, by suffix. */
export const RDAP_BESIDE_IANA: Record<string, string> = {
  ac: 'https://rdap.identitydigital.services/rdap/',
  ch: 'https://rdap.nic.ch/',
  de: 'https://rdap.denic.de/',
  io: 'https://rdap.identitydigital.services/rdap/',
  li: 'https://rdap.nic.li/',
  me: 'https://rdap.identitydigital.services/rdap/',
  sh: 'https://rdap.identitydigital.services/rdap/',
};

/** Port-43 hosts that moved, or that the list of hosts lacks or misspells, by suffix. */
export const CORRECTED_PORT43: Record<string, string> = {
  bf: 'whois.registre.bf',
  bh: 'whois.nic.bh',
  biz: 'whois.nic.biz',
  bz: 'whois.identitydigital.services',
  circle: 'whois.nic.circle',
  cm: 'whois.nic.cm',
  dk: 'whois.punktum.dk',
  dm: 'whois.dmdomains.dm',
  do: 'whois.nic.do',
  fj: 'www.whois.fj',
  ga: 'whois.nic.ga',
  ge: 'whois.nic.ge',
  gh: 'whois.nic.gh',
  gi: 'whois.identitydigital.services',
  gn: 'whois.ande.gov.gn',
  gov: 'whois.nic.gov',
  gp: 'whois.nic.gp',
  ie: 'whois.weare.ie',
  kw: 'whois.nic.kw',
  lc: 'whois.identitydigital.services',
  ls: 'whois.nic.ls',
  mc: 'whois.nic.mc',
  ml: 'whois.nic.ml',
  mm: 'whois.registry.gov.mm',
  mt: 'whois.nic.org.mt',
  mu: 'whois.tld.mu',
  nz: 'whois.irs.net.nz',
  pk: 'whois.pknic.net.pk',
  politie: 'whois.nic.politie',
  post: 'whois.nic.post',
  pr: 'whois.nic.pr',
  sc: 'whois.nic.sc',
  td: 'whois.nic.td',
  to: 'whois.tonicregistry.to',
  vc: 'whois.identitydigital.services',
  vu: 'whois.dnrs.vu',
  'xn--4dbrk0ce': 'whois.isoc.org.il',
  'xn--8y0a063a': 'whois.nic.xn--8y0a063a',
  'xn--90ae': 'whois.imena.bg',
  'xn--fiqs8s': 'whois.cnnic.cn',
  'xn--fiqz9s': 'whois.cnnic.cn',
  'xn--l1acc': 'whois.mn',
  'xn--pgbs0dh': 'whois.ati.tn',
  'xn--q7ce6a': 'whois.nic.la',
  'xn--qxa6a': 'whois.eu',
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
 * (watchTowr, 2024). The hosts of the former operator of .cf, .ga, .gq and .ml are below these domains, which other
 * registries run now. These hosts are never contacted, even if a table or a referral names them.
 */
export const DEAD_HOSTS: ReadonlySet<string> = new Set([
  'whois.dotmobiregistry.net',
  'whois.dominio.gq',
  'whois.dot.cf',
  'whois.dot.ga',
  'whois.dot.ml',
]);

/**
 * Suffixes whose own registry publishes no machine-readable data. The registry of the top-level domain does not know
 * the names below them, and would call each of them unregistered.
 */
export const SUFFIXES_WITHOUT_SERVICE: ReadonlySet<string> = new Set([
  'com.uy',
  'edu.ar',
  'gc.ca',
  'gub.uy',
  'mil.uy',
  'nhs.uk',
  'police.uk',
]);

/**
 * Top-level domains whose registry knows only the names directly below them: other parties register the names below
 * suffixes such as `k12.ca.us`.
 */
export const ONLY_SECOND_LEVEL: ReadonlySet<string> = new Set(['be', 'fi', 'ie', 'us']);
