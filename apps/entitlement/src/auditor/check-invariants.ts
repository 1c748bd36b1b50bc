import type { Database } from '#libs/database';
import { INVARIANTS } from './invariants.js';

export interface ViolatedInvariant {
  id: string;
  rows: object[];
}

/**
 * Runs every invariant of this service in one statement, so that all see the same moment. Use the
 * auditor's role.
 * @param windowMs only what moved within so many milliseconds is looked at; everything when it is left
 *   out. What a window says holds of its accounts and grants as a whole, not of the movements alone.
 * @returns the violated ones with the rows that show it; empty when all hold.
 */
export async function checkInvariants(
  database: Pick<Database, 'query'>,
  windowMs?: number,
): Promise<ViolatedInvariant[]> {
  const found = await database.query<{ invariant: string; found: object }>(ALL, [windowMs ?? null]);
  const byInvariant = Map.groupBy(found, ({ invariant }) => invariant);
  return [...byInvariant].map(([id, rows]) => ({ id, rows: rows.map((row) => row.found) }));
}

const ALL = `
  with audited as materialized (
    select coalesce(clock_timestamp() - $1::float8 * interval '1 ms', '-infinity') as since),
  moved as materialized (
    select id, account_id from ledger_transfers
    where $1::float8 is not null and recorded_at >= (select since from audited)),
  audited_accounts as materialized (
    select id from credit_accounts where $1::float8 is null
    union select account_id from moved),
  audited_grants as materialized (
    select id from credit_grants where $1::float8 is null
    union select e.grant_id from ledger_entries e join moved on moved.id = e.transfer_id)
  ${INVARIANTS.map(
    ({ id, sql }) => `select '${id}' as invariant, to_jsonb(v) as found from (${sql}) v`,
  ).join('\nunion all\n')}`;
