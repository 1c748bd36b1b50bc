import type { Grammar } from './grammar.js';

/** Layouts of registry software and of registrars, by the hosts known to print them. */
export const GENERIC: readonly Grammar[] = [
  {
    tlds: ['dm', 'gd', 'vg', 'tc', 'st'],
    servers: ['whois.ksregistry.net', 'whois.adamsnames.tc', 'whois.nic.vg', 'whois.nic.dm'],
    keys: {
      'registrant.handle': ['owner contact', 'registrant contact'],
      'admin.handle': ['admin contact'],
      'tech.handle': ['tech contact'],
      'billing.handle': ['billing contact'],
    },
  },
  {
    tlds: ['nc'],
    address: ['cityLine', 'country'],
    keys: { nameServer: ['domain server'] },
  },
  { tlds: ['hm', 'gs'], dates: { order: 'dmy' } },
];
