import type { Migration } from '#libs/database';

/**
 * An index of the few refused rows of a day, for customers who search for them among millions. It is created at once
 * only on the parent table; each new partition has it, and older ones are removed within 90 days.
 */
export const refusedRequests: Migration = {
  name: '0005-refused-requests',
  sql: `create index request_log_refused on only request_log (account_id, at desc) where status >= 400`,
};
