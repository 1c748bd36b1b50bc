import type { Migration } from '#libs/database';

export const erasurePosition: Migration = {
  name: '0028-erasure-position',
  sql: `
-- How far the pass has come that erases suppressed data; without a row, no pass has begun.
create table erasure_position (
  singleton boolean primary key default true check (singleton),
  -- The newest value that the pass erases everywhere.
  version bigint not null,
  domain_key bigint not null,
  name text collate "C" not null
);
`,
};
