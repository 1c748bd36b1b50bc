import { jobLeaseTable, rollingPartitions } from '#libs/database';

/**
 * The SQL of the tables behind events, of the leases of jobs, and of the functions that roll partitions. It is
 * `0001-messaging` of each service, the same in every schema. Producers use `event_sequence` and the two tables of the
 * outbox, consumers the rest. Outbox and failed events are queues, kept small by deletion; the inbox is partitioned by
 * month (decision 0020).
 */
export const messagingTables = `
${rollingPartitions}
create table event_sequence (
  aggregate text primary key,
  sequence bigint not null
) with (fillfactor = 70);

create table outbox (
  id uuid primary key,
  bucket smallint not null check (bucket between 0 and 15),
  -- One value at a time: a cached range would be handed out after the lock of a later writer.
  position bigint generated always as identity (cache 1),
  xid xid8 not null default pg_current_xact_id(),
  key text not null,
  aggregate text not null,
  sequence bigint not null,
  type text not null,
  version smallint not null,
  occurred_at timestamptz not null,
  traceparent text,
  -- The text is kept as it was written; jsonb would refuse some strings and reorder members.
  data json not null,
  sent_at timestamptz,
  unique (aggregate, sequence)
);
create index outbox_unsent on outbox (bucket, position) where sent_at is null;
create index outbox_sent on outbox (sent_at) where sent_at is not null;
create index outbox_feed on outbox (xid) include (key);

create table outbox_bucket (
  bucket smallint primary key check (bucket between 0 and 15),
  owner text not null default '',
  epoch bigint not null default 0,
  lease_until timestamptz not null default '-infinity'
) with (fillfactor = 50);
insert into outbox_bucket (bucket) select generate_series(0, 15);

-- By the months of the events' ids: a repeat meets the entry of the first, however late it comes.
create table inbox (
  consumer text not null,
  event_id uuid not null,
  outcome text not null check (outcome in ('applied', 'superseded')),
  handled_at timestamptz not null default clock_timestamp(),
  primary key (consumer, event_id)
) partition by range (event_id);
select add_partitioned_table('inbox', true, interval '90 days');

create table inbox_sequence (
  consumer text not null,
  aggregate text not null,
  sequence bigint not null,
  primary key (consumer, aggregate)
) with (fillfactor = 70);

create table failed_event (
  consumer text not null,
  event_id text not null,
  arrival bigint generated always as identity,
  topic text not null,
  bucket smallint not null,
  key text not null,
  type text not null,
  body text not null,
  state text not null check (state in ('retrying', 'dead', 'discarded')),
  reason text not null,
  attempts integer not null,
  failed_at timestamptz not null default clock_timestamp(),
  -- Null while it waits behind an earlier one of its key.
  next_try_at timestamptz,
  settled_at timestamptz,
  primary key (consumer, event_id)
);
create index failed_event_heads on failed_event (consumer, topic, key, arrival) where state = 'retrying';
create index failed_event_due on failed_event (consumer, next_try_at) where state = 'retrying';
create index failed_event_list on failed_event (consumer, state, arrival);
${jobLeaseTable}`;

/**
 * The index for operators who read an account's events; a separate migration, because outboxes without it have been
 * released.
 */
export const outboxOfKeyIndex =
  'create index concurrently if not exists outbox_of_key on outbox (key, occurred_at)';
