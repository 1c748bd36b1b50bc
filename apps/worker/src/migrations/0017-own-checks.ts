import type { Migration } from '#libs/database';

export const ownChecks: Migration = {
  name: '0017-own-checks',
  sql: `
-- Since when the account has watched the name without a pause: earlier checks were made for others. Pauses
-- of older monitors are not recorded: theirs counts from their creation until they are resumed again.
alter table monitors add column watched_from timestamptz not null default now();
update monitors set watched_from = created_at;
alter table watched_names
  add column whois_tried_at timestamptz,
  add column dns_problem text,
  add column dns_tried_at timestamptz;
`,
};
