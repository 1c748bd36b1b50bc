import { describe, expect, it } from '@jest/globals';
import {
  PackageLine,
  PaymentConfirmed,
  PaymentReversed,
  SubscriptionChanged,
  SubscriptionUpgradeLine,
  parseEventData,
} from '#libs/contracts';
import { newId } from '#libs/platform';

const LINE = { lineId: newId(), sku: 'api-15K-month', quantity: 1, amountMicros: '27000000' };
const PACKAGE = { ...LINE, kind: 'package', credits: '5000' };
const STRETCH = {
  ...LINE,
  kind: 'subscription_upgrade',
  subscriptionId: newId(),
  interval: 'month',
  periodStart: '2026-03-02T09:00:00Z',
  periodEnd: '2026-04-02T09:00:00Z',
  from: '2026-03-12T09:00:00.000Z',
  monthlyCredits: '10000',
};

const payment = (line: object) =>
  parseEventData(PaymentConfirmed, {
    paymentId: newId(),
    amountMicros: '27000000',
    currency: 'USD',
    catalogueVersion: '2026-11',
    lines: [line],
  });

const reversal = (line: object) =>
  parseEventData(PaymentReversed, {
    reversalId: newId(),
    paymentId: newId(),
    cause: 'refund',
    phase: 'final',
    lines: [{ lineId: newId(), refundedMicros: '500', paidMicros: '500', ...line }],
  });

describe('billing events', () => {
  it('each kind of line is read as its own class', () => {
    const read = [PACKAGE, STRETCH].map(payment) as { data: PaymentConfirmed }[];
    const lines = read.map(({ data }) => data.lines[0]);
    expect(lines[0]).toBeInstanceOf(PackageLine);
    expect(lines[1]).toBeInstanceOf(SubscriptionUpgradeLine);
    expect(lines.map(({ kind }) => kind)).toEqual(['package', 'subscription_upgrade']);
  });

  it('a renewal needs no order, a line that grants credits may cost 0, and a line that grants only rights needs no credits', () => {
    expect(payment({ ...STRETCH, kind: 'subscription', amountMicros: '0' })).toHaveProperty('data');
    expect(payment({ ...LINE, kind: 'domainer' })).toHaveProperty('data');
    expect(payment({ ...LINE, kind: 'rate_limit' })).toHaveProperty('data');
  });

  it.each([
    ['a package without credits', { ...PACKAGE, credits: undefined }],
    ['a package of no credits', { ...PACKAGE, credits: '0' }],
    ['credits that a double cannot hold', { ...PACKAGE, credits: '9007199254740993' }],
    ['a line without a price', { ...PACKAGE, amountMicros: undefined }],
    ['a price below zero', { ...PACKAGE, amountMicros: '-1' }],
    ['an unknown kind', { ...PACKAGE, kind: 'gift' }],
    ['an object as a kind', { ...PACKAGE, kind: 'constructor' }],
    ['an upgrade without the end of its period', { ...STRETCH, periodEnd: undefined }],
    ['an upgrade without a subscription', { ...STRETCH, subscriptionId: undefined }],
    ['an upgrade that begins before its period', { ...STRETCH, from: '2026-03-02T08:59:59Z' }],
    ['an upgrade that begins when its period ends', { ...STRETCH, from: STRETCH.periodEnd }],
    ['an upgrade that adds nothing', { ...STRETCH, monthlyCredits: '0' }],
    ['a time without its zone', { ...STRETCH, from: '2026-03-12T09:00:00' }],
    ['a day that does not exist', { ...STRETCH, periodEnd: '2026-02-30T09:00:00Z' }],
    ['a period of a week', { ...STRETCH, interval: 'week' }],
  ])('S44: a payment is rejected because of %s', (_, line) => {
    expect(payment(line)).toHaveProperty('faults');
  });

  it('a refund of the remaining period states when that part starts; a full refund need not', () => {
    const from = '2026-09-02T09:00:00Z';
    expect(reversal({ scope: 'whole' })).toHaveProperty('data');
    expect(reversal({ scope: 'remaining', from })).toHaveProperty('data');
    expect(reversal({ scope: 'remaining' })).toHaveProperty('faults');
    expect(reversal({ scope: 'some', from })).toHaveProperty('faults');
    expect(reversal({ scope: 'whole', refundedMicros: '501' })).toHaveProperty('faults');
  });

  it('a subscription before its first payment has no paid period', () => {
    const snapshot = {
      subscriptionId: newId(),
      line: 'api',
      state: 'incomplete',
      sku: 'api-15K-month',
      quantity: 1,
      interval: 'month',
      periodStart: '2026-03-02T09:00:00Z',
      periodEnd: '2026-04-02T09:00:00Z',
      limits: { live: 40, bulk: 10, heavy: 5 },
      monitors: { domain: 20, brand: 2, registrant: 2 },
      keys: 3,
      datasets: [],
      catalogueVersion: '2026-11',
    };
    expect(parseEventData(SubscriptionChanged, snapshot)).toHaveProperty('data');
    const paidThrough = 'soon';
    expect(parseEventData(SubscriptionChanged, { ...snapshot, paidThrough })).toHaveProperty(
      'faults',
    );
  });
});
