import type { InvariantSet } from '#libs/database';

export const GATEWAY_INVARIANTS: InvariantSet = {
  // Partial indexes contain exactly the forbidden rows, so each check covers the whole table at little cost.
  scope: `audited as (select $1::float8 as window_ms, $2::text as after, $3::text as through)`,
  invariants: [
    {
      id: 'I16',
      statement: 'no request that was rejected by its rate limit was charged',
      sql: `
        select request_id as id, account_id, at, credits from request_log
        where status = 429 and credits <> 0`,
    },
  ],
  chunkEnd: `select null::text as key where $1::text is null and $2::int is null`,
};
