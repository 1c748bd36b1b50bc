import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestClock } from '#test/environment';
import { KEPT_MAX } from './kept.js';
import { PaymentsSimulator } from './payments-simulator.js';

describe('the payment simulators', () => {
  let simulator: PaymentsSimulator;

  beforeAll(() => {
    simulator = new PaymentsSimulator(new TestClock());
  });
  afterAll(() => simulator.stop());

  function newCustomer(idempotencyKey: string): unknown {
    const request = { method: 'POST', path: '/v1/customers', query: '', body: '' };
    const authorization = 'Bearer sk_test_simulator';
    const { body } = simulator.stripe.answer({ ...request, authorization, idempotencyKey });
    return (body as { id: string }).id;
  }

  it('keep only the latest requests, answers and events, however long they run', () => {
    const first = newCustomer('key 0');
    expect(newCustomer('key 0')).toBe(first);
    let last: unknown;
    for (let count = 1; count <= KEPT_MAX; count += 1) last = newCustomer(`key ${count}`);
    const { stripe, world, paypal } = simulator;
    expect([stripe.calls, stripe.requests.length]).toEqual([KEPT_MAX + 2, KEPT_MAX]);
    expect(stripe.requestsAfter(KEPT_MAX)).toHaveLength(2);
    expect(stripe.requestsAfter(0)).toHaveLength(KEPT_MAX);
    expect(newCustomer(`key ${KEPT_MAX}`)).toBe(last);
    expect(newCustomer('key 0')).not.toBe(first);
    const [object] = world.all('customer');
    for (let count = 0; count <= KEPT_MAX; count += 1) {
      world.emit('v1.refund.created', object);
      paypal.world.emit('PAYMENT.CAPTURE.REFUNDED', 'refund', { count });
    }
    expect([world.events.length, paypal.world.events.length]).toEqual([KEPT_MAX, KEPT_MAX]);
    expect(paypal.world.events.at(-1)?.resource).toEqual({ count: KEPT_MAX });
  });
});
