import type { Migration } from '#libs/database';

/**
 * Requests of known accounts, a partition a day, and their hourly counts. The partitions are rolled
 * by a function of the owner, as the running service may not change the schema.
 */
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
  duration_ms integer not null
) partition by range (at);
create index request_log_account on request_log (account_id, at desc);
create index request_log_key on request_log (key_id, at);
-- Rows lie in the order of their times: what the roll-up reads of the day is a few pages.
create index request_log_at on request_log using brin (at) with (pages_per_range = 32);

create table request_hours (
  account_id uuid not null,
  hour timestamptz not null,
  operation text not null,
  status smallint not null,
  requests bigint not null,
  credits bigint not null,
  primary key (account_id, hour, operation, status)
);

create function roll_request_log_partitions(today date, keep_from date) returns void
language plpgsql security definer set search_path = gateway, pg_temp as $$
declare
  day date;
  old record;
begin
  perform pg_advisory_xact_lock(hashtext('gateway.request_log'));
  for day in select generate_series(today - 1, today + 2, interval '1 day')::date loop
    execute format(
      'create table if not exists %I partition of request_log for values from (%L) to (%L)',
      'request_log_' || to_char(day, 'YYYYMMDD'),
      day::timestamp at time zone 'UTC',
      (day + 1)::timestamp at time zone 'UTC');
  end loop;
  for old in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'gateway.request_log'::regclass
      and c.relname < 'request_log_' || to_char(keep_from, 'YYYYMMDD')
  loop
    execute format('drop table %I', old.relname);
  end loop;
end $$;
revoke all on function roll_request_log_partitions(date, date) from public;
grant execute on function roll_request_log_partitions(date, date) to gateway_maintenance;
`,
};
