import type { Migration } from '#libs/database';

export const listedNames: Migration = {
  name: '0010-listed-names',
  sql: `
-- Names on block lists: a row for each list and category that has one, kept when the list gives it up.
create table listed_name (
  domain_key bigint not null,
  name text collate "C" not null,
  -- Labels below the registrable name; empty where the list means the name itself, with all below it.
  host text collate "C" not null default '',
  source_id smallint not null references source on delete cascade,
  -- In the words of the answer: phishing, malware, botnet, spam, scam, other.
  category text not null,
  listed_at timestamptz not null,
  -- Null while it is listed.
  delisted_at timestamptz,
  primary key (domain_key, name, host, source_id, category)
);
create index listed_name_source on listed_name (source_id, domain_key);
`,
};
