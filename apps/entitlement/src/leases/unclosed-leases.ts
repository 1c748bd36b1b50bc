import type { Database } from '#libs/database';

/**
 * Whether leases that ended over a day ago are still open, as after a long outage. The reaper closes them within
 * minutes. Without their rows, the credits that they reserve would stay reserved forever.
 */
export async function hasUnclosedLeases(database: Pick<Database, 'query'>): Promise<boolean> {
  const found = await database.query(
    `select from leases where state = 'open' and expires_at < statement_timestamp() - interval '1 day' limit 1`,
  );
  return found.length > 0;
}
