import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { RollPartitionsJob, checkInvariants, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { ENTITLEMENT_INVARIANTS } from '../../../apps/entitlement/src/auditor/invariants.js';
import { CheckpointJob } from '../../../apps/entitlement/src/checkpoints/checkpoint.job.js';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';
import { type BenchRow, atMost, inLanes, percentile } from '../bench.js';
import { insertAccounts, writeRows } from './written-rows.js';

const ENTRIES = 5_000_000;
const ENTRIES_SHORT = 500_000;
const ACCOUNTS = 1_000;
const CREDITS = 1_000_000;
const ACQUIRES = 1_000;
const AT_ONCE = 4;
const WINDOW_MS = 15 * 60_000;
const WINDOW_TARGET_MS = 1_000;
/** Last month's, this one's, two to come, and the one for what lies outside. */
const PARTITIONS_KEPT = 5;
const RUNS_MAX = 100;

/** A year of use by a thousand accounts, all of which are busy when the auditor looks. */
export async function measure(
  entitlement: EntitlementUnderTest,
  isShort: boolean,
): Promise<BenchRow[]> {
  const entries = isShort ? ENTRIES_SHORT : ENTRIES;
  const boughtAt = new Date(Date.now() - 365 * 86_400_000);
  await writeRows(entitlement, async (client) => {
    await makePartitions(client, boughtAt);
    await insertAccounts(client, { count: ACCOUNTS, credits: CREDITS, boughtAt });
  });
  const accountIds = (
    await entitlement.database.query<{ id: string }>('select id from credit_accounts')
  ).map(({ id }) => id);
  await acquireAll(entitlement, accountIds);
  const young = await acquireAll(entitlement, accountIds);
  await writeRows(entitlement, async (client) => useForAYear(client, boughtAt, entries));
  await acquireAll(entitlement, accountIds);
  const old = await acquireAll(entitlement, accountIds);
  const unsummed = await audit(entitlement, WINDOW_MS);
  const summingMs = await timed(() => entitlement.service.app.get(CheckpointJob).runOnce());
  await acquireAll(entitlement, accountIds);
  const auditWindow = await audit(entitlement, WINDOW_MS);
  const full = await audit(entitlement);
  const dropping = await dropYear(entitlement, accountIds);
  await audit(entitlement);
  const at = `at ${entries} entries`;
  return [
    { what: 'acquire of a young ledger, p99', value: percentile(young, 0.99), unit: 'ms' },
    { what: `acquire ${at}, p99`, value: percentile(old, 0.99), unit: 'ms' },
    atMost(
      `audit window of ${ACCOUNTS} busy accounts ${at}`,
      auditWindow.ms,
      WINDOW_TARGET_MS,
      'ms',
    ),
    { what: "of it the server's processor time", value: auditWindow.cpuMs, unit: 'ms' },
    { what: 'the same before their first checkpoint', value: unsummed.ms, unit: 'ms' },
    { what: `${entries} entries summed up to checkpoints`, value: summingMs, unit: 'ms' },
    { what: 'everything audited, in one statement', value: full.ms, unit: 'ms' },
    { what: "a year's partitions dropped", value: dropping.ms, unit: 'ms' },
    { what: 'acquires meanwhile, p99', value: percentile(dropping.acquires, 0.99), unit: 'ms' },
    { what: 'acquires meanwhile, slowest', value: Math.max(...dropping.acquires), unit: 'ms' },
  ];
}

/** Every month of the ledger before the last one goes, while leases are asked for. */
async function dropYear(entitlement: EntitlementUnderTest, accountIds: string[]) {
  const { test, service } = entitlement;
  await withClient(test.url(), async (client) =>
    client.query(
      `update entitlement.partitioned_table set kept_for = '1 month' where name like 'ledger%'`,
    ),
  );
  const acquiring = acquireAll(entitlement, accountIds);
  const ms = await timed(async () => {
    // A partition that is in use when its turn comes is left to the next run.
    for (let run = 1; (await partitionsLeft(entitlement)) > PARTITIONS_KEPT; run += 1) {
      if (run > RUNS_MAX)
        throw new Error(`partitions of the ledger are left after ${RUNS_MAX} runs`);
      await service.app.get(RollPartitionsJob).runOnce();
    }
  });
  return { ms, acquires: await acquiring };
}

async function partitionsLeft({ database }: EntitlementUnderTest): Promise<number> {
  const [{ left }] = await database.query<{ left: number }>(
    `select count(*)::int as left from pg_inherits where inhparent = 'ledger_entries'::regclass`,
  );
  return left;
}

/** The grants of every month since then. */
async function makePartitions(client: Client, since: Date): Promise<void> {
  for (const at = new Date(since); at < new Date(); at.setUTCDate(at.getUTCDate() + 28)) {
    await client.query('select roll_partitions($1)', [at]);
  }
}

async function useForAYear(client: Client, boughtAt: Date, entries: number): Promise<void> {
  // A charge is a reservation and its use, of two entries each.
  const used = entries / 4 / ACCOUNTS;
  const charges = `
    select n, i, $1::timestamptz + (i - 1 + n / ${ACCOUNTS}.0) * interval '364 days' / ${used} as at
    from generate_series(1, ${used}) i cross join generate_series(1, ${ACCOUNTS}) n`;
  const kinds = `(values ('reserve', 'available', 'reserved', 0), ('consume', 'reserved', 'consumed', 1))
    k (kind, source, target, later)`;
  const moment = `at + later * interval '1 second'`;
  const id = `pg_temp.id_at(${moment}, kind || n || ' ' || i)`;
  await client.query(
    `insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at, recorded_at)
     select ${id}, pg_temp.account(n), kind, 'lease:' || i, ${CREDITS} - i, ${moment}, ${moment}
     from (${charges}) c cross join ${kinds}`,
    [boughtAt],
  );
  await client.query(
    `insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
     select ${id}, position, pg_temp.account(n), case position when 0 then source else target end,
       pg_temp.grant_of(n), case position when 0 then -1 else 1 end
     from (${charges}) c cross join ${kinds} cross join (values (0), (1)) p (position)`,
    [boughtAt],
  );
  // Behind what the leases of the young ledger have moved.
  await client.query(
    `update ledger_transfers set available_after = available_after - ${used}
     where recorded_at > $1::timestamptz + interval '364 days 12 hours'`,
    [boughtAt],
  );
  await client.query(
    `insert into used_credits (id, account_id, day, operation, credits)
     select pg_temp.id_at(min(at), 'used ' || n || ' ' || day), pg_temp.account(n), day, 'whois.live', count(*)
     from (${charges}) c cross join lateral (
       values ((at + interval '1 second')::timestamptz)) m (used_at)
     cross join lateral (values ((used_at at time zone 'UTC')::date)) d (day)
     group by n, day
     on conflict (account_id, day, operation) do update set credits = used_credits.credits + excluded.credits`,
    [boughtAt],
  );
  await client.query(`update credit_grants set available = available - ${used},
    consumed = consumed + ${used}`);
  await client.query(`update credit_accounts set available = available - ${used}`);
}

/** Milliseconds of each of the acquires, several at a time. */
async function acquireAll(
  { client }: EntitlementUnderTest,
  accountIds: string[],
): Promise<number[]> {
  const turns = Array.from({ length: ACQUIRES }, (_, n) => accountIds[n % accountIds.length]);
  const times: number[] = [];
  await inLanes(turns, AT_ONCE, async (accountId) => {
    const leaseId = newId();
    const wish = { accountId, leaseId, gatewayId: 'gateway-1', min: 1, wanted: 10 };
    const startedAt = performance.now();
    const answer = await client.acquire(wish);
    times.push(performance.now() - startedAt);
    if (answer.outcome !== 'granted') throw new Error(`a lease was ${answer.outcome}`);
    await client.close({ accountId, leaseId, consumed: 1 });
  });
  return times;
}

/** @returns milliseconds, in all and of the server's processor. @throws when an invariant does not hold. */
async function audit(
  { test }: EntitlementUnderTest,
  windowMs?: number,
): Promise<{ ms: number; cpuMs: number }> {
  return withClient(test.url('entitlement_auditor'), async (client) => {
    const query = async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows;
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const cpuBefore = cpuMsOf(rows[0].pid);
    const ms = await timed(async () => {
      const database = { query } as Parameters<typeof checkInvariants>[0];
      const violated = await checkInvariants(database, ENTITLEMENT_INVARIANTS, { windowMs });
      if (violated.length > 0) throw new Error(JSON.stringify(violated).slice(0, 500));
    });
    return { ms, cpuMs: cpuMsOf(rows[0].pid) - cpuBefore };
  });
}

/** User and system time of a process so far (Linux, proc(5): fields 14 and 15, in hundredths of a second). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
