import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AccountDeleted, AccountRestored, PaymentConfirmed } from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';

const MONTH = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
const YEAR = { periodStart: '2026-01-31T12:00:00Z', periodEnd: '2027-01-31T12:00:00Z' };

describe('grants', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;
  let subscriptionId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => {
    entitlement.clock.set('2026-03-02T09:00:00Z');
    [accountId, subscriptionId] = [newId(), newId()];
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const spendable = async () => (await entitlement.client.balance(accountId)).spendable;
  const at = (time: string) => entitlement.clock.set(time);
  const subscribe = (snapshot: Partial<Parameters<EntitlementUnderTest['subscribe']>[1]>) =>
    entitlement.subscribe(accountId, { subscriptionId, ...MONTH, ...snapshot });

  it('at a renewal, the credits of the old month expire and those of the new month are granted', async () => {
    await subscribe({});
    await subscribe({});
    at('2026-04-02T09:00:00Z');
    await subscribe({ periodStart: '2026-04-02T09:00:00Z', periodEnd: '2026-05-02T09:00:00Z' });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant subscription: issued -15000, available +15000',
      'expire subscription: available -15000, expired +15000',
      'grant subscription: issued -15000, available +15000',
    ]);
    expect(await spendable()).toBe(15_000);
  });

  it('the old month stays spendable for seven days while its renewal is not paid', async () => {
    await subscribe({});
    at('2026-04-02T10:00:00Z');
    const unpaid = { periodStart: '2026-04-02T09:00:00Z', periodEnd: '2026-05-02T09:00:00Z' };
    await subscribe({ ...unpaid, state: 'past_due', paidThrough: '2026-04-02T09:00:00Z' });
    at('2026-04-09T08:59:59Z');
    expect(await spendable()).toBe(15_000);
    at('2026-04-09T09:00:00Z');
    expect(await spendable()).toBe(0);
    at('2026-04-10T09:00:00Z');
    await subscribe({ ...unpaid, paidThrough: unpaid.periodEnd });
    expect(await spendable()).toBe(15_000);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant subscription: issued -15000, available +15000',
      'expire subscription: available -15000, expired +15000',
      'grant subscription: issued -15000, available +15000',
    ]);
  });

  it('a cancelled month expires at its end, and undoing the cancellation restores the grace period', async () => {
    await subscribe({ cancelAt: MONTH.periodEnd });
    await subscribe({});
    at('2026-04-03T09:00:00Z');
    expect(await spendable()).toBe(15_000);
    await subscribe({ cancelAt: MONTH.periodEnd, state: 'cancelled' });
    expect(await spendable()).toBe(0);
  });

  it('the slices of a year start on the anchor day: 31 Jan, 28 Feb, 31 Mar', async () => {
    at('2026-01-31T12:00:00Z');
    await subscribe({ ...YEAR, interval: 'year' });
    const starts = ['2026-02-28T12:00:00Z', '2026-03-31T12:00:00Z', '2026-04-30T12:00:00Z'];
    for (const start of starts) {
      await entitlement.newEntries(accountId);
      at(new Date(Date.parse(start) - 1).toISOString());
      await entitlement.advanceAll();
      expect(await entitlement.newEntries(accountId)).toEqual([]);
      at(start);
      await entitlement.advanceAll();
      expect(await entitlement.newEntries(accountId)).toEqual([
        'expire subscription: available -15000, expired +15000',
        'grant subscription: issued -15000, available +15000',
      ]);
    }
    expect(addMonths(new Date('2028-01-31T00:00:00Z'), 1)).toEqual(
      new Date('2028-02-29T00:00:00Z'),
    );
    expect(addMonths(new Date('2026-12-31T00:00:00Z'), 2)).toEqual(
      new Date('2027-02-28T00:00:00Z'),
    );
  });

  it('the slices of months without requests are issued before any credits are spent', async () => {
    at('2026-01-31T12:00:00Z');
    await subscribe({ ...YEAR, interval: 'year' });
    at('2026-06-01T00:00:00Z');
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 1, wanted: 0 };
    expect(await entitlement.client.acquire(lease)).toMatchObject({ spendable: 14_999 });
    const entries = await entitlement.newEntries(accountId);
    expect(entries.filter((line) => line.startsWith('grant'))).toHaveLength(5);
    expect(entries.filter((line) => line.startsWith('expire'))).toHaveLength(4);
  });

  it('a slice that begins while credits are reserved is not expected before it is issued', async () => {
    for (let beforeMs = 1; beforeMs <= 12; beforeMs += 1) {
      accountId = newId();
      at(YEAR.periodStart);
      await subscribe({ ...YEAR, interval: 'year', subscriptionId: newId() });
      at(new Date(Date.parse('2026-02-28T12:00:00Z') - beforeMs).toISOString());
      entitlement.clock.stepEachReading(1);
      const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 1, wanted: 0 };
      await entitlement.client.acquire(lease);
      entitlement.clock.stepEachReading(0);
      expect(await entitlement.violations()).toEqual([]);
    }
  });

  it('an upgrade grants its share of the slice’s remaining time, independently of the snapshot, and ends with the slice', async () => {
    await subscribe({});
    at('2026-03-18T00:00:00Z');
    await subscribe({ sku: 'api-50K-month' });
    await entitlement.pay(accountId, {
      kind: 'subscription_upgrade',
      subscriptionId,
      interval: 'month',
      ...MONTH,
      from: '2026-03-17T21:00:00Z',
      monthlyCredits: '35000',
    });
    // Half of the slice's 31 days are left.
    expect(await spendable()).toBe(15_000 + 17_500);
    at('2026-04-02T09:00:00Z');
    await subscribe({
      periodStart: '2026-04-02T09:00:00Z',
      periodEnd: '2026-05-02T09:00:00Z',
      monthlyCredits: '50000',
    });
    expect(await spendable()).toBe(50_000);
  });

  it('slices that begin at the same time are issued in the order of their lines, and neither ends the other', async () => {
    const [first, second] = [newId(), newId()].toSorted();
    at(YEAR.periodStart);
    await subscribe({ ...YEAR, interval: 'year', lineId: second });
    const stretch = { subscriptionId, interval: 'year', ...YEAR, from: YEAR.periodStart } as const;
    const line = { kind: 'subscription', ...stretch, monthlyCredits: '35000' } as const;
    await entitlement.pay(accountId, { ...line, lineId: first });
    expect(await spendable()).toBe(50_000);
    await entitlement.newEntries(accountId);
    at('2026-02-28T12:00:00Z');
    await entitlement.advanceAll();
    // The customer is told at a fifth of both that credits run out.
    expect(await entitlement.client.balance(accountId)).toMatchObject({
      spendable: 50_000,
      low_at: 10_000,
    });
    const entries = await entitlement.newEntries(accountId);
    expect(entries.filter((entry) => entry.startsWith('grant'))).toEqual([
      'grant subscription: issued -35000, available +35000',
      'grant subscription: issued -15000, available +15000',
    ]);
    at('2026-03-31T11:59:59Z');
    expect(await spendable()).toBe(50_000);
  });

  it.each(['1', '0.9'])(
    'the later slices of a year of which %s is refunded are not announced as used up',
    async (share) => {
      const lineId = newId();
      at(YEAR.periodStart);
      await subscribe({ ...YEAR, interval: 'year', lineId });
      await entitlement.reverse(accountId, lineId, share);
      const told = await entitlement.events(accountId);
      expect(told.filter((event) => event.startsWith('CreditsLow'))).toHaveLength(1);
      for (const start of ['2026-02-28T12:00:00Z', '2026-03-31T12:00:00Z']) {
        at(start);
        await entitlement.advanceAll();
      }
      expect(await entitlement.events(accountId)).toEqual(told);
    },
  );

  it('periods that arrive at once are issued in chronological order', async () => {
    const [first, second] = [newId(), newId()].toSorted();
    const period = (lineId: string, periodStart: string, periodEnd: string) => ({
      kind: 'subscription' as const,
      lineId,
      subscriptionId,
      interval: 'month' as const,
      periodStart,
      periodEnd,
      from: periodStart,
      monthlyCredits: lineId === first ? '2000' : '1000',
      sku: 'test',
      quantity: 1,
      amountMicros: '1000000',
    });
    at('2026-05-10T09:00:00Z');
    await entitlement.deliver(PaymentConfirmed, accountId, {
      paymentId: newId(),
      amountMicros: '2000000',
      currency: 'USD',
      catalogueVersion: '2026-11',
      lines: [
        period(first, '2026-04-02T09:00:00Z', '2026-05-02T09:00:00Z'),
        period(second, '2026-03-02T09:00:00Z', '2026-04-02T09:00:00Z'),
      ],
    });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant subscription: issued -1000, available +1000',
      'grant subscription: issued -2000, available +2000',
    ]);
  });

  it('reserved credits stay usable after their grant has expired', async () => {
    await subscribe({ cancelAt: MONTH.periodEnd });
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 100, wanted: 0 };
    await entitlement.client.acquire(lease);
    at('2026-04-03T09:00:00Z');
    await entitlement.client.close({ accountId, leaseId: lease.leaseId, consumed: 60 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant subscription: issued -15000, available +15000',
      'reserve lease: available -100, reserved +100',
      'expire subscription: available -14900, expired +14900',
      'consume lease: reserved -60, consumed +60',
      'release lease: reserved -40, expired +40',
    ]);
  });

  it('a deletion freezes the account’s credits and those of later slices, and a restoration releases exactly these', async () => {
    at('2026-01-31T12:00:00Z');
    await subscribe({ ...YEAR, interval: 'year' });
    const [lineId] = [await entitlement.buy(accountId, 5_000)];
    await entitlement.reverse(accountId, lineId, '0.2', { phase: 'requested' });
    const deletion = { deletedAt: '2026-02-01T00:00:00Z', restoreUntil: '2026-05-02T00:00:00Z' };
    await entitlement.deliver(AccountDeleted, accountId, deletion);
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 1, wanted: 0 };
    expect(await entitlement.client.acquire(lease)).toMatchObject({ outcome: 'insufficient' });
    at('2026-02-28T12:00:00Z');
    expect(await entitlement.client.balance(accountId)).toMatchObject({
      spendable: 0,
      frozen: 19e3,
    });
    await entitlement.deliver(AccountRestored, accountId, { restoredAt: '2026-02-28T12:00:00Z' });
    expect(await entitlement.client.balance(accountId)).toMatchObject({
      spendable: 19e3,
      frozen: 0,
    });
    const { blocks } = await entitlement.client.allowance(accountId);
    expect(blocks).toEqual([]);
  });

  it('the job brings an account without requests up to date only once', async () => {
    await subscribe({ cancelAt: MONTH.periodEnd });
    await entitlement.newEntries(accountId);
    entitlement.clock.advance(40 * DAY_MS);
    await entitlement.advanceAll();
    await entitlement.advanceAll();
    expect(await entitlement.newEntries(accountId)).toEqual([
      'expire subscription: available -15000, expired +15000',
    ]);
  });
});
