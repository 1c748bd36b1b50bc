import type { Database } from '#libs/database';
import { INVARIANTS } from './invariants.js';

export interface ViolatedInvariant {
  id: string;
  rows: object[];
}

/**
 * Runs every invariant of this service in one statement, so that all see the same moment. Use the
 * auditor's role.
 * @returns the violated ones with the rows that show it; empty when all hold.
 */
export async function checkInvariants(
  database: Pick<Database, 'query'>,
): Promise<ViolatedInvariant[]> {
  const found = await database.query<{ invariant: string; found: object }>(ALL);
  const byInvariant = Map.groupBy(found, ({ invariant }) => invariant);
  return [...byInvariant].map(([id, rows]) => ({ id, rows: rows.map((row) => row.found) }));
}

const ALL = INVARIANTS.map(
  ({ id, sql }) => `select '${id}' as invariant, to_jsonb(v) as found from (${sql}) v`,
).join('\nunion all\n');
