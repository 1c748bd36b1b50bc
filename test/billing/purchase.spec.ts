import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventClassOf } from '#libs/contracts';
import { EntitlementUnderTest } from '../entitlement/entitlement-under-test.js';
import { BillingUnderTest } from './billing-under-test.js';

/** Purchases at the processor take effect in entitlement through real events, exactly as they are published. */
describe('purchases', () => {
  let billing: BillingUnderTest;
  let entitlement: EntitlementUnderTest;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    entitlement = await EntitlementUnderTest.start();
  });
  afterAll(async () => {
    await entitlement.stop();
    await billing.stop();
  });
  afterEach(async () => {
    expect(billing.logLines.splice(0)).toEqual([]);
    expect(await entitlement.violations()).toEqual([]);
  });

  const relayed = new Map<string, number>();
  /** Delivers the events that billing has published about an account since the last call. */
  async function relay(accountId: string): Promise<void> {
    const events = await billing.events(accountId);
    for (const { type, data } of events.slice(relayed.get(accountId) ?? 0)) {
      await entitlement.deliver(eventClassOf(type, 1)!, accountId, data);
    }
    relayed.set(accountId, events.length);
  }

  const credits = async (accountId: string) =>
    (await entitlement.client.balance(accountId)).spendable;

  it('a purchased package grants credits that can be spent, and a refund revokes them', async () => {
    const accountId = await entitlement.newAccount();
    const before = await credits(accountId);
    const order = await billing.order(accountId, 15_000);
    await relay(accountId);
    expect(await credits(accountId)).toBe(before);
    await billing.act(order, 'pay');
    await relay(accountId);
    expect(await credits(accountId)).toBe(before + 15_000);
    const payment = billing.simulator.world.all('payment_intent')[0].id;
    billing.simulator.payments.refund({ payment_intent: payment });
    await billing.settle();
    await relay(accountId);
    expect(await credits(accountId)).toBe(before);
    expect(await billing.stateOf(accountId, order)).toBe('refunded');
  });
});
