import type { Migration } from '#libs/database';

/**
 * Lets operators find the account of a request. Entries are stored in the order of their time, so a BRIN index is
 * sufficient and small.
 */
export const auditOfRequest: Migration = {
  name: '0012-audit-of-request',
  sql: `create index concurrently if not exists audit_by_request on audit
    using brin (request_id text_bloom_ops) with (pages_per_range = 32, autosummarize = on)`,
  isTransactional: false,
};
