import type { Migration } from '#libs/database';

/** When the owner took the account back. What a stranger did before then counts against none of the owner's limits. */
export const takenBack: Migration = {
  name: '0018-taken-back',
  sql: `alter table accounts add column taken_back_at timestamptz`,
};
