import type { Migration } from '#libs/database';

export const handedOverSlices: Migration = {
  name: '0022-handed-over-slices',
  sql: `
-- How many slices of all keys a removed source has handed over to the other sources.
alter table source add column handed_over_slices smallint not null default 0;
`,
};
