import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  AccountDeleted,
  AccountErased,
  AccountRegistered,
  AccountRestored,
  PaymentConfirmed,
} from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { GrantsService } from './grants.service.js';

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
    entitlement.clock.stepEachReading(0);
    [accountId, subscriptionId] = [newId(), newId()];
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const spendable = async () => (await entitlement.client.balance(accountId)).spendable;
  const at = (time: string) => entitlement.clock.set(time);
  const subscribe = (snapshot: Partial<Parameters<EntitlementUnderTest['subscribe']>[1]>) =>
    entitlement.subscribe(accountId, { subscriptionId, ...MONTH, ...snapshot });

  it('S39: trial credits are granted once per claim and account, even under 20 parallel events', async () => {
    const trialClaim = 'a'.repeat(64);
    const register = (id: string) => entitlement.deliver(AccountRegistered, id, { trialClaim });
    await Promise.all(Array.from({ length: 20 }, () => register(accountId)));
    await register(newId());
    await entitlement.deliver(AccountRegistered, accountId, { trialClaim: 'b'.repeat(64) });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant trial: issued -500, available +500',
    ]);
    const [{ count }] = await entitlement.database.query<{ count: string }>(
      `select count(*) from credit_grants where source_type = 'trial' and source_id like 'aaa%'`,
    );
    expect(count).toBe('1');
  });

  it('credits are used in one order, by leases and by holds: of the trial, from support, of a plan, of a package', async () => {
    await entitlement.buy(accountId, 10);
    await subscribe({ monthlyCredits: '10' });
    const grant = async (expiresAt?: string) => {
      const adjustment = { adjustmentId: newId(), amount: 10, reason: 'goodwill', expiresAt };
      await entitlement.operator.grantByOperator(accountId, adjustment);
    };
    await grant();
    await grant('2026-03-20T00:00:00Z');
    await grant('2026-03-10T00:00:00Z');
    await entitlement.deliver(AccountRegistered, accountId, { trialClaim: 'c'.repeat(64) });
    const used = async () => {
      const { grants } = await entitlement.client.balance(accountId);
      const names = grants
        .filter(({ granted, available }) => available < granted)
        .map(({ source_type: type, expires_at: end, granted, available }) =>
          [type, end?.slice(5, 10), granted - available].filter(Boolean).join(' '),
        );
      return names.toSorted();
    };
    await entitlement.use(accountId, 500);
    expect(await used()).toEqual(['trial 500']);
    await entitlement.use(accountId, 5);
    expect(await used()).toEqual(['operator 03-10 5', 'trial 500']);
    const holdId = newId();
    await entitlement.client.hold({ accountId, holdId, amount: 30, operation: 'jobs.whois' });
    await entitlement.client.settleHold(accountId, holdId, '1', 12);
    const ofSupport = ['operator 03-10 10', 'operator 03-20 10', 'operator 10'];
    const spent = ofSupport.concat('subscription 04-09 5', 'trial 500');
    expect(await used()).toEqual(spent);
    // What was not used goes back to those that would be used last.
    await entitlement.client.closeHold(accountId, holdId);
    expect(await used()).toEqual(['operator 03-10 10', 'operator 03-20 7', 'trial 500']);
    await entitlement.use(accountId, 13 + 10 + 4);
    expect(await used()).toEqual(
      ofSupport.concat('package 4', 'subscription 04-09 10', 'trial 500'),
    );
  });

  it('S51: a payment announced 16 times at once grants once', async () => {
    const lineId = newId();
    const line = { kind: 'package', credits: '5000', lineId } as const;
    await Promise.all(Array.from({ length: 16 }, () => entitlement.pay(accountId, line)));
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
    ]);
    expect(await entitlement.events(accountId)).toEqual(['AllowanceChanged 1']);
  });

  it('an account that two events of one batch open at the same time is rejected, not lost', async () => {
    const grants = entitlement.service.app.get(GrantsService);
    const opening = entitlement.database.transaction((transaction) => {
      const open = () => grants.follow(transaction, accountId, async () => ({}));
      return Promise.all([open(), open()]);
    });
    await expect(opening).rejects.toThrow('an account was opened twice');
  });

  it('a paid package grants its credits and limit in the transaction that handles its event', async () => {
    entitlement.clock.stepEachReading(1);
    await entitlement.pay(accountId, { kind: 'package', credits: '100000', lineId: newId() });
    entitlement.clock.stepEachReading(0);
    const [account] = await entitlement.database.query(
      `select available, next_due_at, package_tier from credit_accounts where id = $1`,
      [accountId],
    );
    expect(account).toEqual({ available: '100000', next_due_at: null, package_tier: '50K' });
    expect(await entitlement.events(accountId)).toEqual(['AllowanceChanged 1']);
  });

  it('a paid grant names its order, its product and its day', async () => {
    const orderId = newId();
    const line = { kind: 'package', credits: '15000', sku: 'package-15000' } as const;
    await entitlement.pay(accountId, line, orderId);
    const { grants } = await entitlement.client.balance(accountId);
    const granted_at = entitlement.clock.now().toISOString();
    expect(grants).toMatchObject([{ order_id: orderId, sku: 'package-15000', granted_at }]);
  });

  it('credits are used by priority, then expiry, then age', async () => {
    await entitlement.buy(accountId, 5_000);
    await subscribe({});
    const given = [
      { amount: 10 },
      { amount: 12, expiresAt: '2027-02-01T00:00:00Z' },
      { amount: 13, expiresAt: '2027-01-01T00:00:00Z' },
      { amount: 11 },
    ];
    for (const grant of given) {
      entitlement.clock.advance(1_000);
      const adjustment = { adjustmentId: newId(), reason: 'a test', ...grant };
      await entitlement.operator.grantByOperator(accountId, adjustment);
    }
    await entitlement.deliver(AccountRegistered, accountId, {
      trialClaim: newId().padEnd(64, '0'),
    });
    await entitlement.client.hold({ accountId, holdId: 'all', amount: 500 + 46 + 15_000 + 1 });
    const grants = await entitlement.database.query(
      `select s.slice->>'amount' as amount, g.source_type from holds h
       cross join lateral jsonb_array_elements(h.slices) with ordinality as s(slice, position)
       join credit_grants g on g.id = (s.slice->>'grantId')::uuid
       where h.account_id = $1 order by s.position`,
      [accountId],
    );
    expect(grants).toEqual([
      { source_type: 'trial', amount: '500' },
      { source_type: 'operator', amount: '13' },
      { source_type: 'operator', amount: '12' },
      { source_type: 'operator', amount: '10' },
      { source_type: 'operator', amount: '11' },
      { source_type: 'subscription', amount: '15000' },
      { source_type: 'package', amount: '1' },
    ]);
  });

  it('an operator’s adjustment counts once', async () => {
    const adjustment = { adjustmentId: newId(), amount: 10, reason: 'a test' };
    const answers = [
      await entitlement.operator.grantByOperator(accountId, adjustment),
      await entitlement.operator.grantByOperator(accountId, adjustment),
    ];
    expect(answers).toEqual([{ isNew: true }, { isNew: false }]);
    expect(await spendable()).toBe(10);
  });

  it('a renewal expires the old month and issues the new one in one transaction', async () => {
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

  it('the old month stays spendable for seven days while a renewal is not paid', async () => {
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

  it('a cancelled month expires at its end, and an undone cancellation gives the grace back', async () => {
    await subscribe({ cancelAt: MONTH.periodEnd });
    await subscribe({});
    at('2026-04-03T09:00:00Z');
    expect(await spendable()).toBe(15_000);
    await subscribe({ cancelAt: MONTH.periodEnd, state: 'cancelled' });
    expect(await spendable()).toBe(0);
  });

  it('slices of a year start on the anchor day: 31 Jan, 28 Feb, 31 Mar', async () => {
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

  it('slices of months without requests are issued before anything is spent', async () => {
    at('2026-01-31T12:00:00Z');
    await subscribe({ ...YEAR, interval: 'year' });
    at('2026-06-01T00:00:00Z');
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 1, wanted: 0 };
    expect(await entitlement.client.acquire(lease)).toMatchObject({ spendable: 14_999 });
    const entries = await entitlement.newEntries(accountId);
    expect(entries.filter((line) => line.startsWith('grant'))).toHaveLength(5);
    expect(entries.filter((line) => line.startsWith('expire'))).toHaveLength(4);
  });

  it('an upgrade adds the rest of the slice, whatever the snapshot says, and ends with it', async () => {
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
    // Half of the slice's 31 days were left.
    expect(await spendable()).toBe(15_000 + 17_500);
    at('2026-04-02T09:00:00Z');
    await subscribe({
      periodStart: '2026-04-02T09:00:00Z',
      periodEnd: '2026-05-02T09:00:00Z',
      monthlyCredits: '50000',
    });
    expect(await spendable()).toBe(50_000);
  });

  it('slices that begin at the same time are issued by line, and neither ends the other', async () => {
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
    expect(await spendable()).toBe(50_000);
    const entries = await entitlement.newEntries(accountId);
    expect(entries.filter((entry) => entry.startsWith('grant'))).toEqual([
      'grant subscription: issued -35000, available +35000',
      'grant subscription: issued -15000, available +15000',
    ]);
    at('2026-03-31T11:59:59Z');
    expect(await spendable()).toBe(50_000);
  });

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

  it('an account with nothing left that could expire is not due', async () => {
    const expiresAt = '2026-05-01T00:00:00Z';
    const given = { adjustmentId: newId(), amount: 30, reason: 'a test', expiresAt };
    await entitlement.operator.grantByOperator(accountId, given);
    const due = async () => {
      const [row] = await entitlement.database.query<{ at: Date | null }>(
        'select next_due_at as at from credit_accounts where id = $1',
        [accountId],
      );
      return row.at?.toISOString();
    };
    expect(await due()).toBe(new Date(expiresAt).toISOString());
    await entitlement.use(accountId, 30);
    at(expiresAt);
    await entitlement.advanceAll();
    expect(await due()).toBeUndefined();
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

  it('a deletion freezes credits, slices keep arriving frozen, and a restore releases exactly these', async () => {
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

  it('after erasure all available, released or granted credits are revoked', async () => {
    await entitlement.buy(accountId, 5_000);
    const lease = { accountId, leaseId: newId(), gatewayId: 'gateway-1', min: 100, wanted: 0 };
    await entitlement.client.acquire(lease);
    await entitlement.deliver(AccountErased, accountId, { erasedAt: '2026-03-02T09:00:00Z' });
    await entitlement.client.close({ accountId, leaseId: lease.leaseId, consumed: 30 });
    await entitlement.buy(accountId, 1_000);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
      'reserve lease: available -100, reserved +100',
      'revoke package: available -4900, revoked +4900',
      'consume lease: reserved -30, consumed +30',
      'release lease: reserved -70, revoked +70',
      'grant package: issued -1000, available +1000',
      'revoke package: available -1000, revoked +1000',
    ]);
  });

  it('the customer is notified once at a fifth and once at zero, and again after new credits', async () => {
    await entitlement.deliver(AccountRegistered, accountId, {
      trialClaim: newId().padEnd(64, '0'),
    });
    const use = async (consumed: number) => {
      const leaseId = newId();
      const lease = { accountId, leaseId, gatewayId: 'gateway-1', min: consumed, wanted: 0 };
      await entitlement.client.acquire(lease);
      await entitlement.client.close({ accountId, leaseId, consumed });
    };
    for (const consumed of [399, 1, 50, 50]) await use(consumed);
    await entitlement.operator.grantByOperator(accountId, {
      adjustmentId: newId(),
      amount: 10,
      reason: 'a test',
    });
    await use(9);
    expect(await entitlement.events(accountId)).toEqual([
      'CreditsLow 20% 100',
      'CreditsLow 0% 0',
      'CreditsLow 20% 1',
    ]);
  });

  it('an account without requests is updated by the job, once', async () => {
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
