import type { Migration } from '#libs/database';
import { hashPartitions } from './hash-partitions.js';

export const registrations: Migration = {
  name: '0003-registrations',
  sql: `
-- What was published of a name from \`observed_at\` on, until the next revision. Partial answers are revisions of a
-- sequence of their own, so that they neither hide nor reveal anything.
create table whois_revision (
  domain_key bigint not null,
  name text collate "C" not null,
  is_complete boolean not null,
  observed_at timestamptz not null,
  -- Hash of the record's meaning.
  state uuid not null,
  source_id smallint not null,
  record jsonb not null,
  -- The text as it came, zstd.
  raw bytea,
  primary key (domain_key, name, is_complete, observed_at, state)
) partition by hash (domain_key);
${hashPartitions('whois_revision')}

-- Observations that found what the one before had found. Nothing is updated to say "seen again".
create table whois_confirmation (
  domain_key bigint not null,
  name text collate "C" not null,
  is_complete boolean not null,
  observed_at timestamptz not null,
  state uuid not null,
  source_id smallint not null,
  primary key (domain_key, name, is_complete, observed_at, state)
);

-- Values of contacts that the newest complete record of a name publishes; nothing else is here to be found.
-- \`term_key\` is a hash of kind and folded value.
create table contact_token (
  term_key bigint not null,
  domain_key bigint not null,
  name text collate "C" not null,
  -- 1 name, 2 e-mail, 3 company.
  kind smallint not null,
  folded text collate "C" not null,
  -- In its own script, where that is not ASCII.
  unicode text collate "C",
  is_registered boolean not null,
  source_id smallint not null,
  primary key (term_key, domain_key, name)
) partition by hash (term_key);
${hashPartitions('contact_token')}
`,
};
