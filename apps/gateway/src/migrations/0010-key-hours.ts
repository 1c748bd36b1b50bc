import type { Migration } from '#libs/database';

/** Hourly counts by key, with response times, so that usage by key no longer reads the log. */
export const keyHours: Migration = {
  name: '0010-key-hours',
  sql: `
create table key_hours (
  account_id uuid not null,
  hour timestamptz not null,
  key_id uuid not null,
  operation text not null,
  requests bigint not null,
  failed bigint not null,
  credits bigint not null,
  -- Answers within so many milliseconds, each counted once: the sooner ones are not in the later ones.
  within_100 bigint not null,
  within_300 bigint not null,
  within_1000 bigint not null,
  within_3000 bigint not null,
  within_10000 bigint not null,
  later bigint not null,
  primary key (account_id, hour, key_id, operation)
) partition by range (hour);

-- Which rows of the log they hold, as counted_requests says it: those that the last snapshot saw and the first one
-- did not, for the log was not read from its beginning.
create table counted_key_hours (
  singleton boolean primary key default true check (singleton),
  first_snapshot pg_snapshot not null,
  first_highest bigint not null,
  began_at timestamptz not null default clock_timestamp(),
  snapshot pg_snapshot not null,
  highest bigint not null
);
insert into counted_key_hours (first_snapshot, first_highest, snapshot, highest)
  select snapshot, highest, snapshot, highest from counted_requests;
select add_partitioned_table('key_hours', false, interval '13 months');
`,
};
