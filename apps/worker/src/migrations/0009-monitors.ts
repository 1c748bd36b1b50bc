import type { Migration } from '#libs/database';

export const monitors: Migration = {
  name: '0009-monitors',
  sql: `
create sequence monitor_revisions;
create table monitors (
  id uuid primary key,
  account_id uuid not null,
  kind text not null check (kind in ('domain', 'brand', 'registrant')),
  name text not null,
  is_paused boolean not null default false,
  -- More of its kind are active than the account may have.
  is_over_limit boolean not null default false,
  sends_mail boolean not null default true,
  rule jsonb not null,
  -- Of kind domain: what its checks are kept under.
  domain_name text collate "C",
  -- Another one after each change: whoever keeps rules in memory sees that they are old.
  revision bigint not null default nextval('monitor_revisions'),
  created_at timestamptz not null
);
create index monitors_of_account on monitors (account_id, id desc);
create index monitors_of_name on monitors (domain_name) where kind = 'domain';
create index monitors_of_matches on monitors (id) where kind <> 'domain';

-- What is known of a watched name, once for all who watch it. Paths have lists of values.
create table watched_names (
  name text collate "C" primary key,
  dns jsonb,
  -- What the last check saw and no other has confirmed yet.
  dns_pending jsonb not null default '{}',
  dns_rechecks smallint not null default 0,
  dns_checked_at timestamptz,
  dns_due_at timestamptz not null,
  whois jsonb,
  whois_pending jsonb not null default '{}',
  whois_rechecks smallint not null default 0,
  whois_checked_at timestamptz,
  whois_due_at timestamptz not null,
  whois_problem text,
  expires_on date,
  -- The days of the last reminder before this expiry.
  reminded_days smallint,
  -- Paths that changed within a day: how often, and when last.
  restless jsonb not null default '{}'
);
create index watched_names_by_dns on watched_names (dns_due_at);
create index watched_names_by_whois on watched_names (whois_due_at);
create index watched_names_by_expiry on watched_names (expires_on) where expires_on is not null;

create table monitor_events (
  id uuid primary key,
  monitor_id uuid not null references monitors on delete cascade,
  account_id uuid not null,
  -- What it is about: told twice, it is one event.
  fact text collate "C" not null,
  type text not null,
  domain_name text collate "C" not null,
  details jsonb not null,
  -- Of a name that was found.
  state text check (state in ('new', 'watched', 'ignored')),
  at timestamptz not null,
  -- It is to be in the account's next mail.
  awaits_mail boolean not null,
  unique (monitor_id, fact)
);
create index monitor_events_of_monitor on monitor_events (monitor_id, id desc);
create index monitor_events_for_mail on monitor_events (account_id, id) where awaits_mail;
create index monitor_events_by_age on monitor_events (at);

-- When an account's next mail with news may go out.
create table monitor_digests (
  account_id uuid primary key,
  mailed_at timestamptz,
  due_at timestamptz
);
create index monitor_digests_due on monitor_digests (due_at) where due_at is not null;

-- How far a reader of the corpus's changes has come.
create table feed_cursors (
  reader text primary key,
  cursor text not null
);
`,
};
