import type { Database } from '#libs/database';
import { INVARIANTS } from './invariants.js';

export interface ViolatedInvariant {
  id: string;
  rows: object[];
}

/**
 * Runs every invariant of this service. Use the auditor's role.
 * @returns the violated ones with the rows that show it; empty when all hold.
 */
export async function checkInvariants(
  database: Pick<Database, 'query'>,
): Promise<ViolatedInvariant[]> {
  const violated: ViolatedInvariant[] = [];
  for (const { id, sql } of INVARIANTS) {
    const rows = await database.query<object>(sql);
    if (rows.length > 0) violated.push({ id, rows });
  }
  return violated;
}
