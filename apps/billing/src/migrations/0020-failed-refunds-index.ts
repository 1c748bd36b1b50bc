import type { Migration } from '#libs/database';

export const failedRefundsIndex: Migration = {
  name: '0020-failed-refunds-index',
  sql: `create index concurrently if not exists reversals_failed on reversals (retry_at)
    where cause = 'refund' and state = 'undone' and closed_at is null`,
  isTransactional: false,
};
