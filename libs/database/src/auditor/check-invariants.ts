import type { Database } from '../database.js';
import type { InvariantSet } from './invariant.js';

export interface ViolatedInvariant {
  id: string;
  rows: object[];
}

/** The part to check; by default, everything. */
export interface AuditedPart {
  /** Limits the check to rows that changed within this many milliseconds. */
  windowMs?: number;
  /** The key before a chunk; the chunk begins after it. */
  from?: string;
  /** The last key of a chunk. */
  to?: string;
}

/**
 * Runs every invariant of a service in one statement, so that all of them read the same snapshot. It requires the
 * auditor's role.
 * @returns the violated invariants; empty if all hold.
 */
export async function checkInvariants(
  database: Pick<Database, 'query'>,
  { scope, invariants }: InvariantSet,
  { windowMs, from, to }: AuditedPart = {},
): Promise<ViolatedInvariant[]> {
  const checks = invariants.map(
    ({ id, sql }) => `select '${id}' as invariant, to_jsonb(v) as found from (${sql}) v`,
  );
  const found = await database.query<{ invariant: string; found: object }>(
    `with ${scope}\n${checks.join('\nunion all\n')}`,
    [windowMs ?? null, from ?? null, to ?? null],
  );
  const byInvariant = Map.groupBy(found, ({ invariant }) => invariant);
  return [...byInvariant].map(([id, rows]) => ({ id, rows: rows.map((row) => row.found) }));
}
