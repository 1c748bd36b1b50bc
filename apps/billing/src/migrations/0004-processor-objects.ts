import type { Migration } from '#libs/database';

export const processorObjects: Migration = {
  name: '0004-processor-objects',
  sql: `
    -- What is to be fetched from a processor, and the guard against writing an older fetch over a newer.
    create table processor_objects (
      processor text not null,
      kind text not null,
      external_id text not null,
      sync_no bigint not null default 0,
      -- Rises with each wish to fetch: one that comes during a fetch is not lost with it.
      wish_no bigint not null default 0,
      due_at timestamptz,
      claimed_until timestamptz,
      attempts integer not null default 0,
      last_error text,
      synced_at timestamptz,
      primary key (processor, kind, external_id)
    );
    create index processor_objects_due on processor_objects (due_at) where due_at is not null;
    create table callbacks (
      id uuid primary key,
      processor text not null,
      event_id text not null,
      type text not null,
      kind text,
      external_id text,
      occurred_at timestamptz not null,
      received_at timestamptz not null,
      source text not null check (source in ('callback', 'listing')),
      -- Its words, for 30 days.
      raw bytea,
      -- Whose object it is about; null until the object was fetched and is ours.
      account_id uuid,
      unique (processor, event_id)
    );
    create index callbacks_object on callbacks (processor, external_id);
    create index callbacks_account on callbacks (account_id, received_at);
    create index callbacks_with_words on callbacks (received_at) where raw is not null;
    create table rejected_callbacks (
      id uuid primary key,
      processor text not null,
      reason text not null,
      received_at timestamptz not null,
      size_bytes integer not null,
      -- The first 4 KB.
      raw bytea not null
    );
    create index rejected_callbacks_received on rejected_callbacks (received_at);
    create table rejected_callback_counts (
      day date not null,
      processor text not null,
      reason text not null,
      count bigint not null,
      primary key (day, processor, reason)
    );
    create table event_cursors (
      processor text primary key,
      cursor timestamptz not null
    );
    create table healing_runs (
      id uuid primary key,
      job text not null,
      started_at timestamptz not null,
      ended_at timestamptz not null,
      checked integer not null,
      healed integer not null,
      failed integer not null
    );
    create index healing_runs_job on healing_runs (job, started_at);
  `,
};
