import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentConfirmed, PaymentReversed } from '#libs/contracts';
import { UnacceptableEvent } from '#libs/messaging';
import { newId } from '#libs/platform';
import { EntitlementUnderTest } from '../../../../test/entitlement/entitlement-under-test.js';
import { GrantsService } from '../grants/grants.service.js';
import { type Stretch, sliceExpiry, slicesOf } from './slices.js';

const MONTH = { periodStart: '2026-03-02T09:00:00Z', periodEnd: '2026-04-02T09:00:00Z' };

describe('announcements from billing', () => {
  let entitlement: EntitlementUnderTest;
  let accountId: string;

  beforeAll(async () => {
    entitlement = await EntitlementUnderTest.start('2026-03-02T09:00:00Z');
  });
  afterAll(() => entitlement.stop());
  beforeEach(() => {
    accountId = newId();
  });
  afterEach(async () => {
    expect(await entitlement.violations()).toEqual([]);
  });

  const line = () => ({
    lineId: newId(),
    kind: 'package' as const,
    sku: 'test',
    quantity: 1,
    amountMicros: '5000',
    credits: '5000',
  });
  const payment = (lines: PaymentConfirmed['lines']): PaymentConfirmed => ({
    paymentId: newId(),
    amountMicros: '5000',
    currency: 'USD',
    catalogueVersion: '2026-11',
    lines,
  });
  const reversal = (lineId: string): PaymentReversed => ({
    reversalId: newId(),
    paymentId: newId(),
    cause: 'dispute',
    phase: 'final',
    lines: [{ lineId, scope: 'whole', refundedMicros: '2500', paidMicros: '5000' }],
  });

  it('a payment that is repeated with different content is rejected permanently, and changes nothing', async () => {
    const [first, second] = [line(), line()];
    const said = payment([first, second]);
    await entitlement.deliver(PaymentConfirmed, accountId, said);
    await entitlement.deliver(PaymentConfirmed, accountId, { ...said, lines: [second, first] });
    const others: PaymentConfirmed[] = [
      { ...said, lines: [{ ...first, credits: '5001' }, second] },
      { ...said, lines: [first] },
      { ...said, lines: [first, second, line()] },
      { ...said, paymentId: newId() },
      { ...said, orderId: newId() },
    ];
    for (const other of others) {
      const delivery = entitlement.deliver(PaymentConfirmed, accountId, other);
      await expect(delivery).rejects.toThrow(UnacceptableEvent);
    }
    const single = payment([line()]);
    await entitlement.deliver(PaymentConfirmed, accountId, single);
    const again = { ...single, paymentId: newId() };
    await expect(entitlement.deliver(PaymentConfirmed, accountId, again)).rejects.toThrow(
      UnacceptableEvent,
    );
    const forAnother = entitlement.deliver(PaymentConfirmed, newId(), said);
    await expect(forAnother).rejects.toThrow(UnacceptableEvent);
    expect((await entitlement.client.balance(accountId)).spendable).toBe(15_000);
  });

  it('in one batch, a repeated payment grants nothing and does not delay a new payment', async () => {
    const other = newId();
    const [known, fresh] = [payment([line()]), payment([line()])];
    await entitlement.deliver(PaymentConfirmed, accountId, known);
    const grants = entitlement.service.app.get(GrantsService);
    await entitlement.database.transaction(async (transaction) =>
      Promise.all([
        grants.grantPayment(transaction, accountId, known),
        grants.grantPayment(transaction, other, fresh),
      ]),
    );
    const balances = [accountId, other].map((id) => entitlement.client.balance(id));
    expect((await Promise.all(balances)).map(({ spendable }) => spendable)).toEqual([5_000, 5_000]);
  });

  it('a reversal that is repeated with different content is rejected permanently, but its two phases may differ', async () => {
    const lineId = await entitlement.buy(accountId, 5_000);
    const final = reversal(lineId);
    const [reversed] = final.lines;
    const requested: PaymentReversed = {
      ...final,
      phase: 'requested',
      lines: [{ ...reversed, refundedMicros: '5000' }],
    };
    for (const event of [requested, final, requested, final]) {
      await entitlement.deliver(PaymentReversed, accountId, event);
    }
    expect((await entitlement.client.balance(accountId)).spendable).toBe(2_500);
    const others: PaymentReversed[] = [
      { ...final, lines: [{ ...reversed, refundedMicros: '2501' }] },
      { ...final, lines: [{ ...reversed, lineId: newId() }] },
      { ...final, cause: 'refund' },
      { ...requested, paymentId: newId() },
    ];
    for (const other of others) {
      const delivery = entitlement.deliver(PaymentReversed, accountId, other);
      await expect(delivery).rejects.toThrow(UnacceptableEvent);
    }
    await expect(entitlement.undo(newId(), final.reversalId)).rejects.toThrow(UnacceptableEvent);
    await entitlement.undo(accountId, final.reversalId);
    await entitlement.deliver(PaymentReversed, accountId, final);
    expect((await entitlement.client.balance(accountId)).spendable).toBe(5_000);
  });

  it('a subscription belongs to one account, whichever event arrives first', async () => {
    const [byPayment, bySnapshot] = [newId(), newId()];
    const monthlyCredits = '0';
    await entitlement.pay(accountId, {
      kind: 'subscription',
      subscriptionId: byPayment,
      interval: 'month',
      ...MONTH,
      from: MONTH.periodStart,
      monthlyCredits: '15000',
    });
    await entitlement.subscribe(accountId, {
      subscriptionId: bySnapshot,
      ...MONTH,
      monthlyCredits,
    });
    for (const subscriptionId of [byPayment, bySnapshot]) {
      const snapshot = { subscriptionId, ...MONTH };
      const said = entitlement.subscribe(newId(), { ...snapshot, monthlyCredits });
      await expect(said).rejects.toThrow(UnacceptableEvent);
      const paid = entitlement.subscribe(newId(), snapshot);
      await expect(paid).rejects.toThrow(UnacceptableEvent);
    }
  });

  it('a paid period has a slice for each of its months, and no empty slices', () => {
    const year = (periodEnd: string, from = '2026-01-31T00:00:00Z') =>
      slicesOf({
        interval: 'year',
        periodStart: new Date('2026-01-31T00:00:00Z'),
        periodEnd: new Date(periodEnd),
        from: new Date(from),
      } as Stretch).map(({ index, start, end }) =>
        [index, ...[start, end].map((at) => at.toISOString().slice(0, 10))].join(' '),
      );
    // A reversal or a change of interval has shortened the year, at the start of a slice or within a slice.
    const twoMonths = ['0 2026-01-31 2026-02-28', '1 2026-02-28 2026-03-31'];
    expect(year('2026-03-31T00:00:00Z')).toEqual(twoMonths);
    expect(year('2026-04-10T00:00:00Z')).toEqual([...twoMonths, '2 2026-03-31 2026-04-10']);
    expect(year('2027-01-31T00:00:00Z')).toHaveLength(12);
    // An upgrade adds no credits to slices that had already ended.
    expect(year('2026-03-31T00:00:00Z', '2026-02-28T00:00:00Z')).toEqual(twoMonths.slice(1));
  });

  it('a month that the processor extended is one slice', () => {
    const [periodStart, periodEnd] = [
      new Date(MONTH.periodStart),
      new Date('2026-04-10T09:00:00Z'),
    ];
    const stretch = { interval: 'month', periodStart, periodEnd, from: periodStart } as Stretch;
    expect(slicesOf(stretch)).toEqual([{ index: 0, start: periodStart, end: periodEnd }]);
  });

  it('credits whose event arrives at or after the end of their slice are valid for seven days from then', () => {
    const end = new Date(MONTH.periodEnd);
    const expiry = (heardAt: string) =>
      sliceExpiry({ periodEnd: end, heardAt: new Date(heardAt) } as Stretch, end, {
        isRenewing: false,
      }).toISOString();
    expect(expiry('2026-04-02T08:59:59Z')).toBe('2026-04-02T09:00:00.000Z');
    expect(expiry('2026-04-02T09:00:00Z')).toBe('2026-04-09T09:00:00.000Z');
    expect(expiry('2026-04-05T09:00:00Z')).toBe('2026-04-12T09:00:00.000Z');
  });

  it('a fraction of a credit grants nothing', async () => {
    const subscriptionId = newId();
    const stretch = { subscriptionId, interval: 'month', ...MONTH, monthlyCredits: '1' } as const;
    const kind = 'subscription_upgrade';
    await entitlement.pay(accountId, { kind, ...stretch, from: '2026-03-02T09:00:01Z' });
    expect(await entitlement.newEntries(accountId)).toEqual([]);
    await entitlement.pay(accountId, { kind, ...stretch, from: MONTH.periodStart });
    expect(await entitlement.newEntries(accountId)).toEqual([
      'grant subscription: issued -1, available +1',
    ]);
  });
});
