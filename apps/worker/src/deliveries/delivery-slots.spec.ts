import { describe, expect, it } from '@jest/globals';
import { DeliverySlots, type DeliveryTarget } from './delivery-slots.js';

/** Takes slots for the webhooks of an account until none is left. @returns how many were taken. */
function takeAll(slots: DeliverySlots, accountId: string, webhooks = 1, isFailing = false): number {
  let taken = 0;
  for (let at = 0; at < webhooks; at++) {
    const target = { accountId, webhookId: `${accountId} ${at}`, isFailing };
    while (typeof slots.take(target, 0) === 'function') taken++;
  }
  return taken;
}

describe('slots of deliveries', () => {
  it('S102: accounts with slow receivers leave slots for other accounts', () => {
    for (const isFailing of [false, true]) {
      const slots = new DeliverySlots(96);
      for (let account = 0; account < 20; account++)
        takeAll(slots, `slow ${account}`, 10, isFailing);
      expect(takeAll(slots, 'other')).toBeGreaterThan(0);
      expect(takeAll(slots, 'failing', 1, true)).toBe(1);
    }
  });

  it('S102: slow receivers of many accounts leave slots for accounts with quick ones', () => {
    const slots = new DeliverySlots(96);
    const quick = { accountId: 'quick', webhookId: 'hook', isFailing: false };
    const take = (target: DeliveryTarget, nowMs: number) => {
      const free = slots.take(target, nowMs);
      return typeof free === 'function' ? [free] : [];
    };
    const slow = Array.from({ length: 500 }, (_, account) => ({
      accountId: `slow ${account}`,
      webhookId: `${account}`,
      isFailing: false,
    }));
    for (const free of take(quick, 0)) free(100);
    for (let nowMs = 1_000; nowMs < 600_000; nowMs += 10_000) {
      const taken = slow.flatMap((target) => take(target, nowMs));
      expect(taken.length).toBeGreaterThan(40);
      const [freeQuick] = take(quick, nowMs);
      expect(freeQuick).toBeDefined();
      freeQuick(nowMs + 100);
      for (const free of taken) free(nowMs + 9_500);
    }
  });

  it('S102: accounts with one slow delivery do not come before new accounts, and wait long before their next attempt', () => {
    const slots = new DeliverySlots(96);
    const hook = (accountId: string) => ({ accountId, webhookId: accountId, isFailing: false });
    const takeSlow = (nowMs: number) =>
      Array.from({ length: 90 }, (_, n) => slots.take(hook(`slow ${n}`), nowMs));
    for (const slot of takeSlow(0)) if (typeof slot === 'function') slot(9_500);
    const waits = takeSlow(10_000).filter((slot) => typeof slot === 'number');
    expect(slots.take(hook('new'), 10_000)).toBeInstanceOf(Function);
    expect(Math.min(...waits)).toBeGreaterThan(8);
  });

  it('an account gets at most four slots per webhook, and at most its share of the free slots', () => {
    const slots = new DeliverySlots(96);
    expect(takeAll(slots, 'one')).toBe(4);
    expect(takeAll(slots, 'other', 10)).toBe(6);
  });

  it('a freed slot can be taken again', () => {
    const slots = new DeliverySlots(96);
    const target = { accountId: 'one', webhookId: 'hook', isFailing: true };
    const free = slots.take(target, 0) as (endMs: number) => void;
    expect(typeof slots.take(target, 0)).toBe('number');
    free(10);
    expect(typeof slots.take(target, 10)).toBe('function');
  });

  it('the more deliveries wait for a slow webhook, the longer the next one waits for its attempt', () => {
    const slots = new DeliverySlots(96);
    const target = { accountId: 'one', webhookId: 'hook', isFailing: false };
    const frees = Array.from({ length: 4 }, () => slots.take(target, 0) as (endMs: number) => void);
    frees[0](10_000);
    slots.take(target, 10_000);
    const waits = Array.from({ length: 2_000 }, () => slots.take(target, 10_000) as number);
    expect(waits.slice(0, 3)).toEqual([2.5, 5, 7.5]);
    expect(waits.at(-1)).toBe(300);
  });
});
