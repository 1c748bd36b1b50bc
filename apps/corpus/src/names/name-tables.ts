/** The tables that hold what is known of names, by key and name; `domain` itself aside. */
export const NAME_TABLES = [
  'whois_revision',
  'whois_confirmation',
  'contact_token',
  'dns_span',
  'dns_sighting',
  'host',
  'host_sighting',
  'change_event',
  'listed_name',
] as const;
