import type { Migration } from '#libs/database';

/** Since when the owner has the account in hand again: whoever had it before used up nothing of his. */
export const takenBack: Migration = {
  name: '0018-taken-back',
  sql: `alter table accounts add column taken_back_at timestamptz`,
};
