import type { Distribution } from '#libs/database';

/**
 * Rows are distributed by name, and values of contacts by value. Changes stay on the coordinator, because they are
 * ordered by the number of their transaction, and each node numbers its transactions itself.
 */
export const distribution: Distribution = {
  distributed: {
    domain: 'domain_key',
    name_source: 'domain_key',
    whois_revision: 'domain_key',
    whois_confirmation: 'domain_key',
    dns_span: 'domain_key',
    dns_sighting: 'domain_key',
    host: 'domain_key',
    host_sighting: 'domain_key',
    listed_name: 'domain_key',
    staged_name: 'domain_key',
    staged_listing: 'domain_key',
    contact_token: 'term_key',
  },
  copied: ['source'],
};
