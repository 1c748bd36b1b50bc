import type { Database } from '../database.js';
import type { InvariantSet } from './invariant.js';

/** The number of keys in one chunk of a pass over all rows. */
const CHUNK_KEYS = 2_000;

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

/**
 * Checks the next chunk of a pass over all rows.
 * @param from the last key of the previous chunk; undefined at the start.
 * @returns the violated invariants, and the chunk's last key; undefined if it was the last chunk.
 */
export async function checkChunk(
  database: Pick<Database, 'query'>,
  set: InvariantSet,
  from?: string,
): Promise<{ violated: ViolatedInvariant[]; to?: string }> {
  const [end] = await database.query<{ key: string }>(set.chunkEnd, [from ?? null, CHUNK_KEYS]);
  return { violated: await checkInvariants(database, set, { from, to: end?.key }), to: end?.key };
}

/**
 * Checks all rows, chunk by chunk. @returns the violated invariants; empty if all hold. A row that several chunks find,
 * because its invariant does not read the scope, is returned once.
 */
export async function checkAllRows(
  database: Pick<Database, 'query'>,
  set: InvariantSet,
): Promise<ViolatedInvariant[]> {
  const found = new Map<string, Map<string, object>>();
  let from: string | undefined;
  do {
    const { violated, to } = await checkChunk(database, set, from);
    for (const { id, rows } of violated) {
      const texts = rows.map((row) => [JSON.stringify(row), row] as const);
      found.set(id, new Map([...(found.get(id) ?? []), ...texts]));
    }
    from = to;
  } while (from !== undefined);
  return [...found].map(([id, rows]) => ({ id, rows: [...rows.values()] }));
}
