import type { Migration } from '#libs/database';

export const failedChecks: Migration = {
  name: '0026-failed-checks',
  sql: `
-- Names whose last check failed are claimed apart from the others.
drop index watched_names_by_dns;
drop index watched_names_by_whois;
create index watched_names_by_dns on watched_names (dns_due_at) where dns_problem is null;
create index watched_names_by_whois on watched_names (whois_due_at) where whois_problem is null;
create index watched_names_by_failed_dns on watched_names (dns_due_at) where dns_problem is not null;
create index watched_names_by_failed_whois on watched_names (whois_due_at) where whois_problem is not null;
`,
};
