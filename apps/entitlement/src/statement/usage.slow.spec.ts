import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { CreditsAnswer, LedgerLine } from '#libs/contracts';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { LeaseReaperService } from '../leases/lease-reaper.service.js';
import { StatementService } from './statement.service.js';

let entitlement: EntitlementUnderTest;
let accountId: string;

beforeAll(async () => {
  entitlement = await EntitlementUnderTest.start();
});
afterAll(() => entitlement.stop());
beforeEach(() => {
  entitlement.clock.set('2026-03-02T09:00:00Z');
  accountId = newId();
});
afterEach(async () => {
  expect(await entitlement.violations()).toEqual([]);
});

const at = (time: string) => entitlement.clock.set(time);
const textOf = ({ kind, amount, operation, day }: LedgerLine) =>
  [kind, amount, operation, day].filter((part) => part !== undefined).join(' ');

async function lines(): Promise<string[]> {
  return (await entitlement.client.ledger(accountId)).items.map(textOf);
}

async function lease(operations: Record<string, number> | undefined, consumed: number) {
  const leaseId = newId();
  const min = Math.max(1, consumed);
  await entitlement.client.acquire({ accountId, leaseId, gatewayId: 'g', min, wanted: 0 });
  return { accountId, leaseId, consumed, operations };
}

async function balance() {
  const path = '/internal/account/credits?version=2';
  return (await entitlement.ask<CreditsAnswer>(path, accountId)).balance;
}

describe('usage of an account', () => {
  it('usage has one line per day and operation, in the order of their first use, and adds up by day', async () => {
    await entitlement.buy(accountId, 1_000);
    await entitlement.client.close(await lease({ 'whois.live': 3, 'dns.live': 4 }, 7));
    await entitlement.client.close(await lease({ 'whois.live': 5 }, 5));
    at('2026-03-03T00:00:00Z');
    await entitlement.client.close(await lease({ 'whois.live': 6 }, 6));
    expect(await lines()).toEqual([
      'use -6 whois.live 2026-03-03',
      'use -4 dns.live 2026-03-02',
      'use -8 whois.live 2026-03-02',
      'grant 1000',
    ]);
    const statement = entitlement.service.app.get(StatementService);
    const { ledger, changes } = await statement.overview(accountId);
    expect(ledger.map(textOf)).toEqual(await lines());
    const today = { day: '2026-03-03', amount: -6 };
    const days = [today, { day: '2026-03-02', amount: 988 }];
    expect(changes).toEqual({ days, is_whole: true });
    at('2026-04-01T00:00:00Z');
    expect((await statement.overview(accountId)).changes.days).toEqual([today]);
  });

  it('repeated and older totals and repeated closes count once', async () => {
    await entitlement.buy(accountId, 1_000);
    const open = await lease({ 'whois.live': 2, 'dns.live': 1 }, 10);
    await entitlement.client.settle('g', [{ ...open, consumed: 3 }]);
    const later = { ...open, operations: { 'whois.live': 6, 'dns.live': 3 }, consumed: 9 };
    await entitlement.client.settle('g', [later, { ...open, consumed: 3 }]);
    await entitlement.client.settle('g', [{ ...open, consumed: 3 }]);
    await entitlement.client.close({ ...open, consumed: 3 });
    await entitlement.client.close(later);
    expect((await lines()).toSorted()).toEqual([
      'grant 1000',
      'use -3 dns.live 2026-03-02',
      'use -6 whois.live 2026-03-02',
    ]);
  });

  it('the usage of a crashed gateway consists of the credits that it reported and those that its journal adds later', async () => {
    await entitlement.buy(accountId, 1_000);
    const open = await lease({ 'whois.live': 4 }, 10);
    await entitlement.client.settle('g', [{ ...open, consumed: 4 }]);
    await entitlement.database.query(
      `update leases set expires_at = now() - interval '1 day' where lease_id = $1`,
      [open.leaseId],
    );
    await entitlement.service.app.get(LeaseReaperService).reap();
    expect(await lines()).toEqual(['use -4 whois.live 2026-03-02', 'grant 1000']);
    const replayed = { ...open, operations: { 'whois.live': 4, 'dns.bulk': 6 }, consumed: 10 };
    await entitlement.client.settle('g', [replayed]);
    expect(await lines()).toEqual([
      'use -6 dns.bulk 2026-03-02',
      'use -4 whois.live 2026-03-02',
      'grant 1000',
    ]);
  });

  it('usage under an open lease is in the ledger within two minutes, and pending until then', async () => {
    await entitlement.buy(accountId, 1_000);
    const open = await lease({ 'whois.live': 4 }, 10);
    await entitlement.client.settle('g', [{ ...open, consumed: 4 }]);
    expect(await balance()).toMatchObject({ spendable: 990, leased: 6, pending: 4 });
    await entitlement.database.query(
      `update leases set posted_at = now() - interval '61 s' where lease_id = $1`,
      [open.leaseId],
    );
    await entitlement.service.app.get(LeaseReaperService).post();
    expect(await balance()).toMatchObject({ spendable: 990, leased: 6, pending: 0 });
    expect(await lines()).toEqual(['use -4 whois.live 2026-03-02', 'grant 1000']);
  });

  it('usage never exceeds the charge: the excess of a named operation is cut off, and unnamed usage is listed as `other`', async () => {
    await entitlement.buy(accountId, 10);
    await entitlement.client.close(await lease({ 'whois.live': 9, 'dns.live': 9 }, 5));
    await entitlement.client.close(await lease(undefined, 2));
    await entitlement.client.close(await lease({ 'whois.live': 1 }, 3));
    expect(await lines()).toEqual([
      'use -4 other 2026-03-02',
      'use -6 whois.live 2026-03-02',
      'grant 10',
    ]);
  });

  it('credits that could not be charged are in no line', async () => {
    await entitlement.buy(accountId, 10);
    const open = await lease({ 'whois.live': 8 }, 8);
    await entitlement.client.close({ ...open, consumed: 0, operations: {} });
    await entitlement.client.close(await lease({ 'dns.live': 6 }, 6));
    await entitlement.client.settle('g', [open]);
    expect(await lines()).toEqual([
      'use -4 whois.live 2026-03-02',
      'use -6 dns.live 2026-03-02',
      'grant 10',
    ]);
  });

  it('usage of a hold names the operation of the hold', async () => {
    await entitlement.buy(accountId, 100);
    const hold = { accountId, holdId: 'job-1', amount: 50 };
    await entitlement.client.hold({ ...hold, operation: 'jobs.whois' });
    await entitlement.client.settleHold(accountId, 'job-1', 'chunk-1', 20);
    await entitlement.client.settleHold(accountId, 'job-1', 'chunk-1', 30);
    await entitlement.client.settleHold(accountId, 'job-1', 'chunk-2', 5);
    await entitlement.client.closeHold(accountId, 'job-1');
    expect(await lines()).toEqual(['use -25 jobs.whois 2026-03-02', 'grant 100']);
  });

  it('usage of jobs and monitors is listed by day, without the usage of requests or of other accounts', async () => {
    await entitlement.buy(accountId, 100);
    const use = async (owner: string, operation: string, credits: number) => {
      const holdId = newId();
      await entitlement.client.hold({ accountId: owner, holdId, amount: credits, operation });
      await entitlement.client.settleHold(owner, holdId, '1', credits);
    };
    const other = newId();
    await entitlement.buy(other, 100);
    await use(other, 'jobs.whois', 50);
    await use(accountId, 'jobs.whois', 3);
    await use(accountId, 'jobs.whois', 4);
    await use(accountId, 'whois.bulk', 9);
    await entitlement.client.close(await lease({ 'whois.live': 5 }, 5));
    at('2026-03-03T00:00:00Z');
    await use(accountId, 'monitors.checks', 2);
    const days = { from: '2026-03-02', to: '2026-03-03' };
    const first = { date: '2026-03-02', operation: 'jobs.whois', credits: 7 };
    const last = { date: '2026-03-03', operation: 'monitors.checks', credits: 2 };
    expect(await entitlement.client.usedByWork(accountId, days)).toEqual([first, last]);
    const one = { from: days.to, to: days.to };
    expect(await entitlement.client.usedByWork(accountId, one)).toEqual([last]);
  });

  it.each([
    [{ 'whois.live': -1 }],
    [{ 'whois.live': 1.5 }],
    [{ 'Not A Name': 1 }],
    [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`o${index}`, 1]))],
  ])('invalid counts of operations are rejected: %j', async (operations) => {
    const use = { accountId, leaseId: newId(), consumed: 1, operations };
    await expect(entitlement.client.settle('g', [use])).rejects.toThrow('operations');
  });
});

it('version 1 shows the granted and used credits of packages and the plan, without past months', async () => {
  const usage = () => entitlement.ask('/internal/account/usage-v1?version=1', accountId);
  await entitlement.buy(accountId, 1_000);
  const month = { periodStart: '2026-03-02T09:00:00.000Z', periodEnd: '2026-04-02T09:00:00.000Z' };
  await entitlement.subscribe(accountId, { subscriptionId: newId(), ...month });
  await entitlement.client.close(await lease({ 'whois.live': 7 }, 7));
  const once = { totalCredits: 1_000, servedRequest: 0 };
  const surcharge = { surchargeRequestLimit: 0, servedSurchargeRequests: 0 };
  const apiSubscription = { requestLimit: 15_000, servedRequests: 7, subscriptionStatus: 'active' };
  expect(await usage()).toEqual({
    apiCredits: once,
    apiSubscription: { ...apiSubscription, ...surcharge },
  });
  at('2026-06-02T09:00:00Z');
  expect(await usage()).toEqual({
    apiCredits: once,
    apiSubscription: {
      requestLimit: 0,
      servedRequests: 0,
      subscriptionStatus: 'inactive',
      ...surcharge,
    },
  });
});

it('version 1 counts every package that was ever bought, however many there are', async () => {
  for (let n = 0; n < 201; n += 1) await entitlement.buy(accountId, 1_000);
  const { leaseId } = await lease({}, 1_500);
  await entitlement.client.close({ accountId, leaseId, consumed: 1_500 });
  expect(await entitlement.ask('/internal/account/usage-v1', accountId)).toMatchObject({
    apiCredits: { totalCredits: 201_000, servedRequest: 1_500 },
  });
});
