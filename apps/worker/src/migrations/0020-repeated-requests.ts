import type { Migration } from '#libs/database';

export const repeatedRequests: Migration = {
  name: '0020-repeated-requests',
  sql: `
-- SHA-256 of the caller's Idempotency-Key with the request, which starts one job however often it is sent.
alter table jobs add column request_hash bytea, add unique (account_id, request_hash);
`,
};
