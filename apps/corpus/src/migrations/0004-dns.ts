import type { Migration } from '#libs/database';
import { hashPartitions } from './hash-partitions.js';

export const dns: Migration = {
  name: '0004-dns',
  sql: `
-- A record of the DNS and the stretch of time in which it was there: until its end, or until now.
create table dns_span (
  domain_key bigint not null,
  name text collate "C" not null,
  -- Labels below the registrable name; empty for the name itself.
  host text collate "C" not null,
  -- Number of the type (IANA).
  rtype smallint not null,
  value text collate "C" not null,
  value_key bigint not null,
  ip inet,
  first_seen timestamptz not null,
  -- The first observation without it; for \`is_passive\`, the last with it.
  until timestamptz,
  -- Seen by a sensor: nobody asked for all records, so that what was not seen may still be there.
  is_passive boolean not null,
  source_id smallint not null,
  primary key (domain_key, name, host, rtype, value_key, first_seen, is_passive)
) partition by hash (domain_key);
${hashPartitions('dns_span')}
create index dns_span_value on dns_span (value_key, domain_key, name);
create index dns_span_ip on dns_span (ip, domain_key, name) where ip is not null;

-- When a name was asked for all records of some types, so that what an answer lacked was not there.
create table dns_sighting (
  domain_key bigint not null,
  name text collate "C" not null,
  host text collate "C" not null,
  observed_at timestamptz not null,
  -- A bit for each type.
  types integer not null,
  source_id smallint not null,
  primary key (domain_key, name, host, observed_at, types)
);

-- Host names below registrable names.
create table host (
  domain_key bigint not null,
  name text collate "C" not null,
  host text collate "C" not null,
  source_id smallint not null,
  first_seen timestamptz not null,
  primary key (domain_key, name, host)
);

-- When a host was seen, and whether it had an address. Null: its name was seen, in a certificate for instance.
create table host_sighting (
  domain_key bigint not null,
  name text collate "C" not null,
  host text collate "C" not null,
  observed_at timestamptz not null,
  has_resolved boolean,
  primary key (domain_key, name, host, observed_at)
);
`,
};
