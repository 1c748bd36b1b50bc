import type { Migration } from '#libs/database';

/**
 * Finds the account of a request for operators. New partitions have the index; existing ones are read completely,
 * because creating it there would block requests.
 */
export const logOfRequest: Migration = {
  name: '0006-log-of-request',
  sql: `create index if not exists request_log_request on only request_log
    using brin (request_id text_bloom_ops (n_distinct_per_range = 2000))
    with (pages_per_range = 32, autosummarize = on)`,
};
