import type { Migration } from '#libs/database';

/**
 * An operator asks whose a request was. Partitions to come have the index; those that are there are read whole,
 * and nobody waits while one is made for them.
 */
export const logOfRequest: Migration = {
  name: '0006-log-of-request',
  sql: `create index if not exists request_log_request on only request_log
    using brin (request_id text_bloom_ops (n_distinct_per_range = 2000))
    with (pages_per_range = 32, autosummarize = on)`,
};
