import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { reversalTarget } from '../payments/reversal-target.js';
import type { ReversedLine } from '../payments/reversed-line.entity.js';

describe('reversals', () => {
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

  const balance = () => entitlement.client.balance(accountId);

  /** Reserves credits in a separate lease. @returns functions that use some of the credits and release the others. */
  async function lease(amount: number) {
    const leaseId = newId();
    await entitlement.client.acquire({
      accountId,
      leaseId,
      gatewayId: 'gateway-1',
      min: amount,
      wanted: 0,
    });
    return (consumed: number) => entitlement.client.close({ accountId, leaseId, consumed });
  }

  it('the reversed part of a line is exact, by money and by time', () => {
    const of = (refunded: number, paid: number, from?: string) =>
      ({
        refundedMicros: String(refunded),
        paidMicros: String(paid),
        scope: from === undefined ? 'whole' : 'remaining',
        from: from === undefined ? null : new Date(from),
      }) as ReversedLine;
    const month = { begin: new Date('2026-03-02T00:00Z'), end: new Date('2026-04-02T00:00Z') };
    expect(reversalTarget(100, month, [])).toBe(0);
    expect(reversalTarget(100, month, [of(1, 3)])).toBe(34);
    expect(reversalTarget(9_007_199_254_740_991, undefined, [of(1, 10)])).toBe(900_719_925_474_100);
    expect(reversalTarget(5_000, month, [of(0, 0)])).toBe(0);
    // The reversal takes the time from the 11th day on (21 of 31 days), whatever the amount of money.
    expect(reversalTarget(3_100, month, [of(7, 10, '2026-03-12T00:00Z')])).toBe(2_100);
    expect(reversalTarget(3_100, month, [of(7, 10, '2026-02-12T00:00Z')])).toBe(3_100);
    expect(reversalTarget(3_100, month, [of(7, 10, '2026-05-12T00:00Z')])).toBe(0);
    // Half of the remaining money corresponds to half of the credits that no `remaining` reversal took.
    const both = [of(4, 10, '2026-03-12T00:00Z'), of(3, 10)];
    expect(reversalTarget(3_100, month, both)).toBe(2_100 + 500);
    expect(reversalTarget(3_100, month, [...both, of(3, 10)])).toBe(3_100);
    expect(reversalTarget(3_100, undefined, [of(5, 10, '2026-05-12T00:00Z')])).toBe(1_550);
  });

  it('the shares of a line are added up before they are rounded once', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    for (let part = 0; part < 3; part++) await entitlement.reverse(accountId, lineId, '0.00001');
    expect((await entitlement.newEntries(accountId)).slice(1)).toEqual([
      'revoke package: available -1, revoked +1',
    ]);
  });

  it('a refund request takes the available credits at once, and a failed refund returns them', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    const reversalId = await entitlement.reverse(accountId, lineId, '0.5', { phase: 'requested' });
    expect(await balance()).toMatchObject({ spendable: 2_500, frozen: 0 });
    await entitlement.reverse(accountId, lineId, '0.5', { reversalId });
    await entitlement.reverse(accountId, lineId, '0.5', { reversalId, phase: 'requested' });
    expect(await balance()).toMatchObject({ spendable: 2_500, frozen: 0 });
    await entitlement.undo(accountId, reversalId);
    await entitlement.undo(accountId, reversalId);
    expect(await balance()).toMatchObject({ spendable: 5_000, frozen: 0 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
      'revoke package: available -2500, revoked +2500',
      'reinstate package: revoked -2500, available +2500',
    ]);
  });

  it('S52: used credits become debt, which bought credits repay first, and return when the reversal is undone', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    await (
      await lease(4_000)
    )(4_000);
    const reversalId = await entitlement.reverse(accountId, lineId, '1');
    expect(await balance()).toMatchObject({ spendable: 0, debt: 4_000 });
    await entitlement.newEntries(accountId);
    await entitlement.buy(accountId, 1_000);
    await entitlement.buy(accountId, 5_000);
    expect(await balance()).toMatchObject({ spendable: 2_000, debt: 0 });
    await entitlement.undo(accountId, reversalId);
    expect(await balance()).toMatchObject({ spendable: 7_000, debt: 0 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -1000, available +1000',
      'repay package: available -1000, consumed +1000, debt +1000, owed -1000',
      'grant package: issued -5000, available +5000',
      'repay package: available -3000, consumed +3000, debt +3000, owed -3000',
      'reinstate package: revoked -1000, available +1000',
      'repay_return package: consumed -3000, available +3000',
      'repay_return package: consumed -1000, available +1000',
    ]);
  });

  it('open debt is cancelled before repaid credits are returned', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    await (
      await lease(5_000)
    )(5_000);
    const [first, second] = [
      await entitlement.reverse(accountId, lineId, '0.4'),
      await entitlement.reverse(accountId, lineId, '0.6'),
    ];
    await entitlement.buy(accountId, 1_000);
    await entitlement.newEntries(accountId);
    await entitlement.undo(accountId, second);
    await entitlement.undo(accountId, first);
    expect(await entitlement.newEntries(accountId)).toEqual([
      'debt_cancel package: debt +3000, owed -3000',
      'debt_cancel package: debt +1000, owed -1000',
      'repay_return package: consumed -1000, available +1000',
    ]);
  });

  it('reserved credits are revoked when they are released, and only used credits become debt', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    const close = await lease(3_000);
    await entitlement.reverse(accountId, lineId, '1');
    expect(await balance()).toMatchObject({ spendable: 0, reserved: 3_000, debt: 0 });
    await close(500);
    expect(await balance()).toMatchObject({ spendable: 0, reserved: 0, debt: 500 });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
      'reserve lease: available -3000, reserved +3000',
      'revoke package: available -2000, revoked +2000',
      'consume lease: reserved -500, consumed +500',
      'debt package: debt -500, owed +500',
      'release lease: reserved -2500, available +2500',
      'revoke package: available -2500, revoked +2500',
    ]);
  });

  it('a reversal and its undoing may arrive before the payment', async () => {
    const [lineId, undoneLineId] = [newId(), newId()];
    await entitlement.reverse(accountId, lineId, '1');
    const early = newId();
    await entitlement.undo(accountId, early);
    await entitlement.reverse(accountId, undoneLineId, '1', { reversalId: early });
    await entitlement.pay(accountId, { kind: 'package', credits: '5000', lineId });
    await entitlement.pay(accountId, { kind: 'package', credits: '1000', lineId: undoneLineId });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant package: issued -5000, available +5000',
      'revoke package: available -5000, revoked +5000',
      'grant package: issued -1000, available +1000',
    ]);
  });

  it('a reversal takes credits by the remaining time if the line has a period, and otherwise by the amount', async () => {
    const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
    const lineId = newId();
    const subscriptionId = newId();
    await entitlement.subscribe(accountId, {
      subscriptionId,
      ...month,
      lineId,
      monthlyCredits: '3100',
    });
    entitlement.clock.set('2026-03-12T09:00:00Z');
    const from = '2026-03-12T09:00:00Z';
    await entitlement.reverse(accountId, lineId, '0.5', { from });
    expect(await balance()).toMatchObject({ spendable: 1_000, debt: 0 });
    const packageId = await entitlement.buy(accountId, 5_000);
    await entitlement.reverse(accountId, packageId, '0.5', { from });
    expect(await balance()).toMatchObject({ spendable: 1_000 + 2_500, debt: 0 });
  });

  it('slices of a fully reversed year are revoked as they begin, and undoing the reversal returns them', async () => {
    const subscriptionId = newId();
    const year = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
    const lineId = newId();
    await entitlement.subscribe(accountId, { subscriptionId, ...year, interval: 'year', lineId });
    entitlement.clock.set('2026-04-10T00:00:00Z');
    await (
      await lease(1_000)
    )(1_000);
    const reversalId = await entitlement.reverse(accountId, lineId, '1');
    await entitlement.newEntries(accountId);
    entitlement.clock.set('2026-06-10T00:00:00Z');
    await entitlement.advanceAll();
    const arrived = [
      'grant subscription: issued -15000, available +15000',
      'revoke subscription: available -15000, revoked +15000',
    ];
    expect(await entitlement.newEntries(accountId)).toEqual([...arrived, ...arrived]);
    expect(await balance()).toMatchObject({ spendable: 0, debt: 1_000 });
    await entitlement.undo(accountId, reversalId);
    // These are the credits of the running slice and, for seven days, those that were left in ended slices when the
    // reversal arrived.
    expect(await balance()).toMatchObject({ spendable: 15_000 + 14_000 + 15_000, debt: 0 });
    expect((await entitlement.newEntries(accountId)).toSorted()).toEqual([
      'debt_cancel subscription: debt +1000, owed -1000',
      'grant release: issued -14000, available +14000',
      'grant release: issued -15000, available +15000',
      'reinstate subscription: revoked -14000, expired +14000',
      'reinstate subscription: revoked -15000, available +15000',
      'reinstate subscription: revoked -15000, expired +15000',
      'reinstate subscription: revoked -15000, expired +15000',
    ]);
    entitlement.clock.set('2026-06-17T00:00:00Z');
    expect(await balance()).toMatchObject({ spendable: 15_000 });
  });

  it('a partial reversal of a year also reduces later slices', async () => {
    const subscriptionId = newId();
    const year = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
    const lineId = newId();
    await entitlement.reverse(accountId, lineId, '0.2');
    await entitlement.subscribe(accountId, { subscriptionId, ...year, interval: 'year', lineId });
    entitlement.clock.set('2026-04-02T09:00:00Z');
    expect(await balance()).toMatchObject({ spendable: 12_000 });
  });

  it('credits returned to an ended slice one after another are valid together for seven days', async () => {
    const month = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };
    const lineId = newId();
    await entitlement.subscribe(accountId, { subscriptionId: newId(), ...month, lineId });
    const [first, second] = [
      await entitlement.reverse(accountId, lineId, '0.25'),
      await entitlement.reverse(accountId, lineId, '0.5'),
    ];
    entitlement.clock.set('2026-04-10T00:00:00Z');
    await entitlement.undo(accountId, first);
    expect(await balance()).toMatchObject({ spendable: 3_750 });
    entitlement.clock.set('2026-04-12T00:00:00Z');
    await entitlement.undo(accountId, second);
    expect(await balance()).toMatchObject({ spendable: 11_250 });
    entitlement.clock.set('2026-04-18T23:59:59Z');
    expect(await balance()).toMatchObject({ spendable: 11_250 });
    entitlement.clock.set('2026-04-19T00:00:00Z');
    expect(await balance()).toMatchObject({ spendable: 0 });
  });

  it('credits returned to an ended slice are not taken by another reversal', async () => {
    const subscriptionId = newId();
    const year = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2027-03-02T09:00:00Z' };
    const lineId = newId();
    await entitlement.subscribe(accountId, { subscriptionId, ...year, interval: 'year', lineId });
    await entitlement.reverse(accountId, lineId, '0.25');
    const undone = await entitlement.reverse(accountId, lineId, '0.5');
    entitlement.clock.set('2026-04-10T00:00:00Z');
    expect(await balance()).toMatchObject({ spendable: 3_750 });
    await entitlement.undo(accountId, undone);
    // A quarter of each slice is revoked. The half that was returned to the ended slice stays valid.
    expect(await balance()).toMatchObject({ spendable: 11_250 + 7_500 });
    // The ended slice has 3,750 unused credits, which cover the next quarter, so no returned credits are taken.
    await entitlement.reverse(accountId, lineId, '0.25');
    expect(await balance()).toMatchObject({ spendable: 7_500 + 7_500 });
    await entitlement.reverse(accountId, lineId, '0.5');
    expect(await balance()).toMatchObject({ spendable: 0, debt: 0 });
  });
});
