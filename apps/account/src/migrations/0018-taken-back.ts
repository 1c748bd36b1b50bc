import type { Migration } from '#libs/database';

/**
 * Records when the owner recovered the account. Earlier actions of a stranger do not count towards the owner's limits.
 */
export const takenBack: Migration = {
  name: '0018-taken-back',
  sql: `alter table accounts add column taken_back_at timestamptz`,
};
