import type { Migration } from '#libs/database';

/** Requests of known accounts, one partition per day for 90 days, and their hourly counts for 13 months. */
export const requestLog: Migration = {
  name: '0002-request-log',
  sql: `
create table request_log (
  at timestamptz not null,
  request_id text not null,
  account_id uuid not null,
  key_id uuid not null,
  operation text not null,
  version smallint not null,
  subject text not null,
  status smallint not null,
  outcome text not null,
  credits integer not null,
  duration_ms integer not null,
  -- The transaction that wrote it: the roll-up counts what its last snapshot could not see.
  written_by bigint not null default pg_current_xact_id()::text::bigint
) partition by range (at);
create index request_log_account on request_log (account_id, at desc);
create index request_log_key on request_log (key_id, at);
-- Empty for ever: what the auditor looks for (I16).
create index request_log_charged_refusals on request_log (at) where status = 429 and credits <> 0;
-- Rows lie in the order in which they were written: what is new of a day is a few pages.
create index request_log_written on request_log using brin (written_by)
  with (pages_per_range = 32, autosummarize = on);

create table request_hours (
  account_id uuid not null,
  hour timestamptz not null,
  operation text not null,
  status smallint not null,
  requests bigint not null,
  credits bigint not null,
  primary key (account_id, hour, operation, status)
) partition by range (hour);

-- Which rows of the log the hours hold: those that this snapshot saw, and none beyond this transaction.
create table counted_requests (
  singleton boolean primary key default true check (singleton),
  snapshot pg_snapshot not null,
  highest bigint not null
);
insert into counted_requests (snapshot, highest) values ('1:1:', 0);

-- Runs of gateways that write the log, and how many batches it has of each: raised in the transaction of a batch,
-- so that whoever was cut off learns whether it was committed, and a later run can end an earlier one.
create table log_writers (
  id uuid primary key,
  batches bigint not null default 0,
  started_at timestamptz not null default clock_timestamp()
) with (fillfactor = 20);

-- Accounts whose rows are to be forgotten; deleted in chunks by a job, and again while rows may still come.
create table log_erasures (
  account_id uuid primary key,
  asked_at timestamptz not null default clock_timestamp(),
  erased_at timestamptz
);
select add_partitioned_table('request_log', false, interval '90 days', 100, true),
  add_partitioned_table('request_hours', false, interval '13 months');
`,
};
