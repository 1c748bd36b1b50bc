import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import type {
  InvoiceAnswer,
  JobsAnswer,
  MonitorsAnswer,
  SessionsAnswer,
  SubscriptionAnswer,
  UsageAnswer,
  WebhooksAnswer,
} from '#libs/contracts';
import { Database, checkInvariants, withClient } from '#libs/database';
import { waitFor } from '#test/environment';
import { Customer } from '../../../../test/stories/customer.js';
import { preparedFolder } from '../../../../test/stories/deployment.js';
import { ENTITLEMENT_INVARIANTS } from '../../../entitlement/src/auditor/invariants.js';
import { LogMaintenanceRepository } from '../../../gateway/src/request-log/log-maintenance.repository.js';
import { type RunningSolo, type SoloOptions, startSolo } from '../solo.js';

let solo: RunningSolo;
let folder: string;

async function start(options: Partial<SoloOptions> = {}): Promise<RunningSolo> {
  folder = await preparedFolder();
  const log = { path: join(folder, 'log'), write: () => {} };
  const ports = { apiPort: 0, dashboardPort: 0 };
  const fixed = { dataFolder: folder, offline: true, durable: false };
  return startSolo({ ...ports, ...fixed, log, ...options });
}
afterEach(async () => {
  await solo.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function seededRequests() {
  const { rows } = await withClient(solo.database.superuserUrl, (client) =>
    client.query<{ count: number; logged: number; booked: number; days: number }>(
      `select count(*)::int as count, sum(credits)::int as logged,
         (select sum(credits)::int from entitlement.used_credits
          where operation not like 'jobs.%') as booked,
         (select count(distinct day)::int from entitlement.used_credits) as days
       from gateway.request_log where request_id like 'req\\_demo%'`,
    ),
  );
  return rows[0];
}

async function violations(): Promise<unknown[]> {
  const url = solo.database.url('entitlement_auditor');
  const auditor = await Database.open({ url, applicationName: 'demo', poolSize: 1 });
  try {
    return await checkInvariants(auditor, ENTITLEMENT_INVARIANTS);
  } finally {
    await auditor.close();
  }
}

/** Counts the rows of the log once, as the gateway's job does every minute. */
async function countByTheHour(): Promise<void> {
  const url = solo.database.url('gateway_maintenance');
  const log = await Database.open({ url, applicationName: 'demo', poolSize: 1 });
  await new LogMaintenanceRepository(log).countNewRows();
  await log.close();
}

it('the demo account gets a plan, invoices, jobs, monitors and a month of usage only once, and its ledger contains the usage', async () => {
  solo = await start();
  const demo = solo.facts.demo!;
  expect(await solo.fillDemo()).toBe(true);
  expect(await solo.fillDemo()).toBe(false);
  const seeded = await seededRequests();
  expect(seeded.count).toBeGreaterThan(1_000);
  expect(seeded.booked).toBe(seeded.logged);
  expect(seeded.days).toBeGreaterThanOrEqual(30);
  // This simulates a start that was interrupted before it recorded its completion.
  rmSync(join(folder, 'demo-life.json'));
  expect(await solo.fillDemo()).toBe(true);
  expect(await seededRequests()).toEqual(seeded);
  expect(await violations()).toEqual([]);
  const { apiUrl, dashboardUrl, mailbox } = solo;
  const customer = new Customer({ apiUrl, dashboardUrl, mailbox }, demo.email);
  await customer.logIn(demo.password);
  const plans = await waitFor('its plan', async () => {
    const { body } = await customer.call('GET', '/api/subscriptions');
    const { subscriptions } = body as unknown as { subscriptions: SubscriptionAnswer[] };
    return subscriptions.some(({ state }) => state === 'active') ? subscriptions : undefined;
  });
  expect(plans).toMatchObject([{ sku: 'api-15K-month', quantity: 1 }]);
  const invoices = await waitFor('its invoices', async () => {
    const { body } = await customer.call('GET', '/api/invoices');
    const { invoices: issued } = body as unknown as { invoices: InvoiceAnswer[] };
    return issued.length === 3 && issued.every(({ revision }) => revision > 0) ? issued : undefined;
  });
  expect(invoices.map(({ total_micros: total }) => total).toSorted()).toEqual([
    '19000000',
    '27000000',
    '54000000',
  ]);
  const listed = async (path: string) => (await customer.call('GET', path)).body as unknown;
  await waitFor('its jobs', async () => {
    const { jobs } = (await listed('/api/jobs')) as JobsAnswer;
    expect(jobs.map(({ kind }) => kind).toSorted()).toEqual(['dns', 'whois']);
    return jobs.every(({ state }) => state === 'completed');
  });
  const { sessions } = (await listed('/api/sessions')) as SessionsAnswer;
  expect(sessions.map(({ current }) => current)).toEqual([true]);
  const { monitors } = (await listed('/api/monitors')) as MonitorsAnswer;
  const states = monitors.map(({ kind, state }) => `${kind} ${state}`);
  expect(states.toSorted()).toEqual(['brand active', 'domain active', 'registrant active']);
  const { webhooks } = (await listed('/api/webhooks')) as WebhooksAnswer;
  expect(webhooks.map(({ state }) => state)).toEqual(['paused']);
  const headers = { 'x-api-key': demo.live_key };
  await countByTheHour();
  const answer = await fetch(`${apiUrl}/v2.0/account/usage`, { headers });
  const { days } = (await answer.json()) as UsageAnswer;
  expect(new Set(days.map(({ date }) => date)).size).toBeGreaterThanOrEqual(29);
});

it('a production start creates no demo account', async () => {
  const settings = { BILLING_URL: 'https://my.example.org', SMTP_URL: 'smtp://127.0.0.1:1' };
  solo = await start({ environment: settings, demoAccount: 'full' });
  expect(solo.facts.demo).toBeUndefined();
  expect(await solo.fillDemo()).toBe(false);
  const { rows } = await withClient(solo.database.superuserUrl, (client) =>
    client.query('select from account.accounts'),
  );
  expect(rows).toEqual([]);
});
