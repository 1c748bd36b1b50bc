import type { Migration } from '#libs/database';

/**
 * The few refused rows of a day, for a customer who looks for them among millions. The parent's alone is made at once;
 * each partition that is made from now on has it, and older ones end within 90 days.
 */
export const refusedRequests: Migration = {
  name: '0005-refused-requests',
  sql: `create index request_log_refused on only request_log (account_id, at desc) where status >= 400`,
};
