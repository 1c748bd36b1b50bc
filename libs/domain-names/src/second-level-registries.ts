/**
 * Second-level names with a registry and a port-43 service of their own, with that service's host. The registry of the
 * top-level domain does not know the names below them, and would call each of them unregistered. The public suffix list
 * counts most of them as private; for registration data they are registries.
 */
export const SECOND_LEVEL_REGISTRIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'whois.centralnic.com':
      'ae.org africa.com ar.com br.com cn.com com.de com.se de.com eu.com gb.com gb.net gr.com ' +
      'hu.com hu.net in.net jp.net jpn.com kr.com no.com qc.com ru.com sa.com se.com se.net ' +
      'uk.com uk.net us.com us.org uy.com za.bz za.com',
    'whois.centralnic.net': 'co.com',
    'whois.registry.hk.com': 'hk.com hk.org inc.hk ltd.hk',
    'whois.eu.org': 'eu.org',
    'whois.nic.priv.at': 'priv.at',
    'whois.co.ca': 'co.ca',
    'whois.co.pl': 'co.pl',
    'whois.za.net': 'za.net',
    'whois.za.org': 'za.org',
    'whois.edu.cn': 'edu.cn',
    'whois.nic.ac.uk': 'ac.uk',
    'whois.gov.uk': 'gov.uk',
  }).flatMap(([server, names]) => names.split(' ').map((name) => [name, server] as const)),
);
