import type { Migration } from '#libs/database';

/** A row may represent many refusals of one kind: those of a minute beyond the first few. */
export const countedRefusals: Migration = {
  name: '0008-counted-refusals',
  sql: 'alter table request_log add column requests integer not null default 1',
};
