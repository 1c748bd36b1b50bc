import type { Migration } from '#libs/database';

export const paidChecks: Migration = {
  name: '0014-paid-checks',
  sql: `
alter table monitors
  -- Between two checks of the DNS; null: as its place includes them.
  add column interval_minutes smallint,
  -- The last check that counts for this monitor, and the last that its place included.
  add column checked_at timestamptz,
  add column included_at timestamptz;
create index monitors_of_intervals on monitors (domain_name) where interval_minutes is not null;

-- Checks of an account that are to be paid. One row collects them; one that collects no more is charged, under its id.
create table paid_checks (
  id uuid primary key,
  account_id uuid not null,
  checks integer not null,
  opened_at timestamptz not null,
  is_open boolean not null default true,
  -- The account lacks the credits: no further check is made for it that must be paid.
  is_unpaid boolean not null default false
);
create unique index paid_checks_open on paid_checks (account_id) where is_open;
create unique index paid_checks_closed on paid_checks (account_id) where not is_open;
`,
};
