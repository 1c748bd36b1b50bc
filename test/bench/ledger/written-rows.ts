import type { Client } from 'pg';
import { withClient } from '#libs/database';
import type { EntitlementUnderTest } from '../../entitlement/entitlement-under-test.js';

/** Ids as the service makes them (UUIDv7): milliseconds of a moment, then what tells two of them apart. */
const FUNCTIONS = `
  create or replace function pg_temp.id_at(moment timestamptz, name text) returns uuid language sql immutable
  return (substr(least_id(moment)::text, 1, 14) || '7' || substr(md5(name), 1, 3) || '-8'
    || substr(md5(name), 4, 3) || '-' || substr(md5(name), 7, 12))::uuid;
  create or replace function pg_temp.id_of(name text) returns uuid language sql immutable
  return (substr(md5(name), 1, 8) || '-' || substr(md5(name), 9, 4) || '-4'
    || substr(md5(name), 13, 3) || '-8' || substr(md5(name), 16, 3) || '-'
    || substr(md5(name), 19, 12))::uuid;
  create or replace function pg_temp.account(n int) returns uuid language sql immutable
  return pg_temp.id_of('account ' || n);
  create or replace function pg_temp.grant_of(n int) returns uuid language sql immutable
  return pg_temp.id_of('grant ' || n);
  create or replace function pg_temp.line(n int) returns uuid language sql immutable
  return pg_temp.id_of('line ' || n);`;

/**
 * Writes rows past the service, as its superuser and without triggers, in one transaction; the invariants
 * are asked afterwards by whoever needs them to hold.
 */
export async function writeRows(
  { test }: EntitlementUnderTest,
  write: (client: Client) => Promise<void>,
): Promise<void> {
  await withClient(test.url(), async (client) => {
    await client.query('set search_path = entitlement');
    await client.query(`set session_replication_role = 'replica'`);
    await client.query(FUNCTIONS);
    await client.query('begin');
    await write(client);
    await client.query('commit');
    await client.query('vacuum analyze');
  });
}

/** Writes this many accounts, each with one package of credits bought at one moment. */
export async function insertAccounts(
  client: Client,
  { count, credits, boughtAt }: { count: number; credits: number; boughtAt: Date },
): Promise<void> {
  const values = [count, credits, boughtAt];
  await client.query(
    `insert into payment_lines (line_id, payment_id, account_id, kind, sku, quantity, amount_micros,
       credits, heard_at)
     select pg_temp.line(n), pg_temp.line(n), pg_temp.account(n), 'package', 'written', 1, 1000000, $2, $3
     from generate_series(1, $1) n`,
    values,
  );
  await client.query(
    `insert into credit_grants (id, account_id, source_type, source_id, source_index, priority, granted,
       available, line_id, issued_at)
     select pg_temp.grant_of(n), pg_temp.account(n), 'package', pg_temp.line(n)::text, 0, 50, $2, $2,
       pg_temp.line(n), $3
     from generate_series(1, $1) n`,
    values,
  );
  await client.query(
    `with bought as (
       insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at, recorded_at)
       select pg_temp.id_at($3, 'bought ' || n), pg_temp.account(n), 'grant',
         'package:' || pg_temp.line(n) || ':0', $2, $3, $3
       from generate_series(1, $1) n)
     insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
     select pg_temp.id_at($3, 'bought ' || n), position, pg_temp.account(n), ledger_account,
       pg_temp.grant_of(n), amount
     from generate_series(1, $1) n
     cross join (values (0, 'issued', -$2::bigint), (1, 'available', $2)) e (position, ledger_account, amount)`,
    values,
  );
  await client.query(
    `insert into credit_accounts (id, available, advanced_to, last_granted, last_transfer_id)
     select pg_temp.account(n), $2, $3, $2, pg_temp.id_at($3, 'bought ' || n)
     from generate_series(1, $1) n`,
    values,
  );
}

/** A lease of each of these accounts, ended five minutes ago, of which something was reported. */
export async function insertLeases(
  client: Client,
  {
    count,
    credits,
    amount,
    reported,
    gatewayId,
  }: { count: number; credits: number; amount: number; reported: number; gatewayId: string },
): Promise<void> {
  const at = `clock_timestamp() - interval '10 minutes'`;
  await client.query(
    `insert into leases (account_id, lease_id, gateway_id, state, amount, reported, slices, expires_at)
     select pg_temp.account(n), pg_temp.id_at(${at}, 'lease ' || n), $4, 'open', $2::int, $3::int,
       jsonb_build_array(jsonb_build_object('grantId', pg_temp.grant_of(n), 'amount', $2::int,
         'consumed', 0, 'returned', 0, 'reclaimed', 0)),
       clock_timestamp() - interval '5 minutes'
     from generate_series(1, $1) n`,
    [count, amount, reported, gatewayId],
  );
  await client.query(
    `with moved as materialized (
       select n, pg_temp.account(n) as account_id, pg_temp.id_at(${at}, 'reserved ' || n) as id
       from generate_series(1, $1) n),
     transfers as (
       insert into ledger_transfers (id, account_id, kind, reference, available_after, occurred_at)
       select id, account_id, 'reserve', 'lease', $3::int - $2::int, now() from moved),
     entries as (
       insert into ledger_entries (transfer_id, position, account_id, ledger_account, grant_id, amount)
       select id, position, account_id, ledger_account, pg_temp.grant_of(n), amount from moved
       cross join (values (0, 'available', -$2::int), (1, 'reserved', $2::int))
         e (position, ledger_account, amount)),
     accounts as (
       update credit_accounts c set available = c.available - $2::int, last_transfer_id = moved.id
       from moved where c.id = moved.account_id)
     update credit_grants g set available = g.available - $2::int, reserved = $2::int
     from moved where g.account_id = moved.account_id`,
    [count, amount, credits],
  );
}
