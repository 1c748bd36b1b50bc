import { Database, withClient } from '#libs/database';
import { DAY_MS, newId } from '#libs/platform';
import { CancellationReasonsService } from '../../apps/billing/src/cancellation-reasons/cancellation-reasons.service.js';
import { JudgedTaxIdsService } from '../../apps/billing/src/tax-ids/judged-tax-ids.service.js';
import type { Registered } from '../account/account-under-test.js';
import type { OperatorDesk } from './operator-desk.js';

/** Texts in the rows of the seeded account that appear unchanged in its export. */
export const SEEDED = [
  'seeded@example.com',
  'Ada',
  'new-address@example.com',
  'Seeded Holdings',
  '7 Export Row',
  'seeded key',
  '198.51.100.23',
  '192.0.2.1',
  'a browser',
  'seeded-idempotency',
  'Seeded Buyer Ltd',
  'GB999999973',
  'seeded mail to the owner',
  'seeded-notice',
  'seeded reason to leave',
  'seeded finding',
  'seeded adjustment',
  'seeded revocation',
  'seeded refund',
  'seeded limit',
  'seeded block',
  'seeded-hold',
  'seeded.example',
  'seeded.csv',
  'seeded.hooks.example',
];

/** Gives the account rows in every table that holds account data. */
export async function seedEverywhere(
  desk: OperatorDesk,
  { gateway, worker }: Record<'gateway' | 'worker', Database>,
  owner: Registered,
): Promise<void> {
  await seedAccount(desk, owner);
  await seedBilling(desk, owner);
  await seedEntitlement(desk, owner);
  await seedGateway(desk, gateway, owner);
  await seedWorker(worker, owner);
}

async function seedAccount({ account }: OperatorDesk, { token, accountId }: Registered) {
  const dashboard = async (method: 'POST' | 'PUT', path: string, body: object) => {
    const headers = { 'idempotency-key': 'seeded-idempotency' };
    const answer = await account.dashboard(method, path, { token, body, headers });
    if (answer.status >= 400) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  };
  await dashboard('PUT', 'billing-details', {
    organisation: 'Seeded Holdings',
    address_line1: '7 Export Row',
    city: 'Leith',
    country: 'GB',
  });
  await dashboard('POST', 'keys', {
    name: 'seeded key',
    environment: 'test',
    allowed_addresses: ['198.51.100.23'],
  });
  await dashboard('POST', 'account/email', { email: 'new-address@example.com' });
  await account.dashboard('POST', 'password/forgot', { body: { email: 'seeded@example.com' } });
  await dashboard('POST', 'second-factor', {});
  await account.database.query(
    `insert into identities (id, account_id, person_id, provider, subject_hash, details, created_at, last_used_at)
     select $1, account_id, person_id, 'google', sha256('seeded'), secret, created_at, created_at from second_factors`,
    [newId()],
  );
  await account.database.query(
    `insert into passkeys (id, account_id, person_id, credential_id, public_key, counter, name, created_at)
     select $1, account_id, person_id, sha256('seeded'), sha256('seeded'), 1, secret, created_at from second_factors`,
    [newId()],
  );
  await account.database.query(
    `insert into recovery_codes (account_id, person_id, code_hash, created_at)
     select account_id, person_id, sha256('seeded'), created_at from second_factors`,
  );
  await account.database.query(
    `with m as (insert into mail (id, account_id, recipient, subject, text, html, next_try_at)
         values ($1, $2, 'seeded@example.com', 'seeded mail to the owner', 'https://x/?token=opens-the-account',
           '<p>a link that opens the account</p>', 'infinity') returning id)
     insert into work (id, queue, name, payload, state, until)
     select id, 'mail', id, jsonb_build_object('mailId', id), 'ready', now() from m`,
    [newId(), accountId],
  );
}

async function seedBilling(desk: OperatorDesk, { accountId }: Registered) {
  const { billing } = desk;
  billing.contacts.set(accountId, {
    email: 'seeded@example.com',
    details: {
      organisation: 'Seeded Buyer Ltd',
      address_line1: '7 Export Row',
      city: 'Leith',
      country: 'GB',
    },
  });
  await billing.act(await billing.order(accountId), 'pay');
  const plan = { product: 'subscription', sku: 'api-15K-month', processor: 'stripe' };
  const ordered = await billing.call('POST', 'orders', { accountId, body: plan });
  if (ordered.status !== 201) throw new Error(JSON.stringify(ordered));
  await billing.act(ordered.body as never, 'pay');
  await billing.deliverMail(accountId);
  const [{ id, paid }] = await billing.database.query<{ id: string; paid: string }>(
    'select id, external_id as paid from payments where account_id = $1 order by id limit 1',
    [accountId],
  );
  const refund = ['billing', 'refund', accountId, id, '--scope', 'whole', '--reason'];
  await desk.command(...refund, 'seeded refund');
  // The dispute is lost after its refund: money that is returned twice is a loss.
  const { payments } = billing.simulator;
  payments.decideDispute(payments.dispute(paid).id, 'lost');
  await billing.settle();
  await billing
    .get(Database)
    .transaction((transaction) =>
      billing
        .get(JudgedTaxIdsService)
        .keep(transaction, { accountId, subjectId: id }, 'GB999999973'),
    );
  const [{ subscriptionId }] = await billing.database.query<{ subscriptionId: string }>(
    'select id as "subscriptionId" from subscriptions where account_id = $1 limit 1',
    [accountId],
  );
  const reason = 'seeded reason to leave';
  await billing.get(CancellationReasonsService).note({ accountId, subscriptionId, reason });
  const now = billing.clock.now();
  const runId = newId();
  await billing.database.query(
    `with s as (insert into account_states (account_id, state, changed_at) values ($1, 'active', $2)),
       n as (insert into mailed_notices (account_id, about, mailed_at) values ($1, 'seeded-notice', $2)),
       m as (insert into mail (id, account_id, recipient, subject, text, html, next_try_at)
         values ($3, $1, 'seeded@example.com', 'a subject', 'a text', '<p>the same as html</p>', 'infinity')),
       r as (insert into reconciliation_runs (id, started_at, ended_at, lines, payments, subscriptions)
         values ($4, $2, $2, 1, 1, 1))
     insert into reconciliation_findings (id, run_id, kind, account_id, subject, detail, is_healed)
     values ($3, $4, 'fulfilment', $1, 'line', 'seeded finding', true)`,
    [accountId, now, newId(), runId],
  );
}

async function seedEntitlement(desk: OperatorDesk, { accountId }: Registered) {
  const { entitlement } = desk;
  const first = await entitlement.buy(accountId, 1_000);
  await entitlement.use(accountId, 900);
  const reversal = await entitlement.reverse(accountId, first, '1');
  await entitlement.buy(accountId, 2_000);
  await entitlement.undo(accountId, reversal);
  const start = entitlement.clock.now();
  await entitlement.subscribe(accountId, {
    subscriptionId: newId(),
    periodStart: start.toISOString(),
    periodEnd: new Date(start.getTime() + 30 * DAY_MS).toISOString(),
  });
  const reasoned = (...args: string[]) => desk.answer(...args);
  await reasoned('credits', 'grant', accountId, '50', '--reason', 'seeded adjustment');
  await reasoned('credits', 'revoke', accountId, '20', '--reason', 'seeded revocation');
  const until = new Date(start.getTime() + DAY_MS).toISOString();
  const limit = ['--limit', 'live', '--value', '600', '--until', until];
  await reasoned('limits', 'override', accountId, ...limit, '--reason', 'seeded limit');
  // Inserts rows that a service would take long to write: those of a batch job, a block and a trial.
  await withClient(entitlement.test.url(), async (client) => {
    await client.query(`set search_path = entitlement`);
    const statements = [
      `insert into access_blocks (id, account_id, cause, blocks, reason, from_at, allowance_version)
       values (gen_random_uuid(), $1, 'admin', '{}', 'seeded block', now(), 1)`,
      `insert into holds (reservation_id, account_id, hold_id, kind, state)
       values (gen_random_uuid(), $1, 'seeded-hold', 'job', 'closed')`,
      `insert into trial_claims (claim, account_id, claimed_at)
       values (repeat('5ec2e7', 12), $1, now()) on conflict do nothing`,
      `insert into used_credits (id, account_id, day, operation, credits)
       values (gen_random_uuid(), $1, '2026-01-02', 'whois.live', 5)`,
      `insert into debt_repayments (reversed_grant_id, paying_grant_id, amount)
       select id, id, 0 from credit_grants where account_id = $1 limit 1 on conflict do nothing`,
    ];
    for (const statement of statements) await client.query(statement, [accountId]);
  });
}

async function seedGateway({ account }: OperatorDesk, gateway: Database, owner: Registered) {
  const at = account.clock.now();
  await withClient(account.test.url(), async (client) => {
    await client.query('set search_path = gateway');
    await client.query('select roll_partitions($1)', [at]);
  });
  await gateway.query(
    `with h as (insert into request_hours (account_id, hour, operation, status, requests, credits)
       values ($1, date_trunc('hour', $2::timestamptz), 'whois.live', 200, 1, 1)),
     k as (insert into key_hours values
       ($1, date_trunc('hour', $2::timestamptz), $3, 'whois.live', 1, 0, 1, 1, 0, 0, 0, 0, 0))
     insert into request_log (at, request_id, account_id, key_id, operation, version, subject, status,
       outcome, credits, duration_ms)
     values ($2, 'req_seeded', $1, $3, 'whois.live', 2, 'seeded.example', 200, 'delivered', 1, 5)`,
    [owner.accountId, at, newId()],
  );
}

async function seedWorker(worker: Database, { accountId }: Registered) {
  const ids = Array.from({ length: 6 }, () => newId());
  await worker.query(
    `with s as (insert into account_states (account_id) values ($1)),
       u as (insert into uploads (id, account_id, state, file_name, pieces, created_at, expires_at)
         values ($2, $1, 'ready', 'seeded.csv', '{uploads/seeded-piece}', now(), 'infinity')),
       j as (insert into jobs (id, account_id, kind, state, format, max_age_seconds, list_id, lines, unique_names,
           invalid, invalid_lines, created_at, deadline_at)
         values ($3, $1, 'whois', 'completed', 'csv.gz', 0, $2, 1, 1, 0, '[]', now(), now())),
       w as (insert into webhooks (id, account_id, url, events, state, secret, previous_secret, created_at)
         values ($4, $1, 'https://seeded.hooks.example/', '{job.completed}', 'paused', sha256('one'), sha256('two'), now())
         returning id),
       m as (insert into mail (id, account_id, recipient, subject, text, html, next_try_at)
         values ($5, $1, 'seeded@example.com', 'a subject', 'a text', '<p>a text of the worker as html</p>', 'infinity')),
       o as (insert into monitors (id, account_id, kind, name, is_paused, rule, domain_name, created_at)
         values ($7, $1, 'domain', 'seeded', true, '{}', 'seeded.example', now()) returning id),
       e as (insert into monitor_events (id, monitor_id, account_id, fact, type, domain_name, details, at, awaits_mail)
         select $7, id, $1, 'a fact', 'monitor.test', 'seeded.example', '{}', now(), false from o),
       g as (insert into monitor_digests (account_id, mailed_at) values ($1, now())),
       p as (insert into paid_checks (id, account_id, checks, opened_at) values ($7, $1, 1, now()))
     insert into webhook_deliveries (id, webhook_id, account_id, event_id, type, body, state, created_at)
     select $6, id, $1, $6, 'job.completed', '{}', 'delivered', now() from w`,
    [accountId, ...ids],
  );
}
