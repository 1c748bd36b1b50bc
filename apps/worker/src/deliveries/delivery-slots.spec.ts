import { describe, expect, it } from '@jest/globals';
import { DeliverySlots } from './delivery-slots.js';

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

  it('the more deliveries wait for a slow webhook, the later they ask again', () => {
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
