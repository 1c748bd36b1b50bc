import type { Migration } from '#libs/database';

/** Of an account's closed holds, of which there may be millions, the auditor reads the youngest. */
export const closedHolds: Migration = {
  name: '0011-closed-holds',
  sql: `create index concurrently if not exists holds_closed on holds (account_id, closed_at)
    where state = 'closed'`,
  isTransactional: false,
};
