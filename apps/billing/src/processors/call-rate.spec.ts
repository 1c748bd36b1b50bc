import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { monotonicMs } from '#libs/platform';
import { TestClock } from '#test/environment';
import { CallRate, CallsExhausted } from './call-rate.js';
import type { PaymentProcessor } from './payment-processor.js';
import { PaypalProcessor } from './paypal/paypal-processor.js';
import { StripeProcessor } from './stripe/stripe-processor.js';

describe('a call rate', () => {
  /** Returns when each of this many simultaneous calls is sent, in milliseconds. */
  const times = (rate: CallRate, count: number, nowMs = 0) =>
    Array.from({ length: count }, () => nowMs + rate.take(nowMs));

  it.each([1, 4, 20, 100])(
    'sends at most %i calls in any second, or a quarter more after a pause',
    (rate) => {
      const at = times(new CallRate(rate), rate * 5);
      const most = Math.max(
        ...at.map((from) => at.filter((t) => t >= from && t < from + 1000).length),
      );
      expect(most).toBeLessThanOrEqual(rate + Math.ceil(rate / 4));
      expect(most).toBeGreaterThanOrEqual(rate);
      expect(at.at(-1)).toBeLessThanOrEqual(5_000);
    },
  );

  it('evenly spaced calls do not wait', () => {
    const rate = new CallRate(20);
    for (let at = 0; at < 5_000; at += 50) expect(rate.take(at)).toBe(0);
  });

  it('a call that would wait for more than ten seconds is rejected and takes no place in the queue', () => {
    const rate = new CallRate(10);
    expect(() => times(rate, 1_000)).toThrow(CallsExhausted);
    expect(() => rate.take(0)).toThrow(CallsExhausted);
    expect(rate.take(10_000)).toBeLessThanOrEqual(1_000);
  });
});

describe('processors with a call rate', () => {
  let server: Server;
  let apiUrl: string;
  let calls = 0;

  beforeAll(async () => {
    server = createServer((_, response) => {
      calls += 1;
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'invalid_request_error', message: 'none' } }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const access = { clock: new TestClock() };
  const processorOf: Record<string, (rate: CallRate) => PaymentProcessor> = {
    stripe: (rate) =>
      new StripeProcessor({
        ...access,
        apiUrl,
        rate,
        apiKey: () => 'sk_test_1',
        callbackSecrets: () => ['a secret'],
      }),
    paypal: (rate) =>
      new PaypalProcessor({
        ...access,
        apiUrl,
        rate,
        clientId: 'a client',
        clientSecret: () => 'a test secret',
        webhookIds: ['5GP028458E2496506'],
        returnUrl: 'http://localhost:1/subscriptions',
      }),
  };

  it.each(['stripe', 'paypal'])('%s: every network call waits for its turn', async (name) => {
    const taken: number[] = [];
    class CountedRate extends CallRate {
      override take(nowMs: number): number {
        taken.push(nowMs);
        return super.take(nowMs);
      }
    }
    calls = 0;
    const processor = processorOf[name](new CountedRate(1_000));
    const fetches = Array.from({ length: 8 }, () =>
      processor.fetch({ kind: 'dispute', id: 'dp_1' }),
    );
    await Promise.all(fetches);
    expect(calls).toBeGreaterThan(0);
    expect(taken).toHaveLength(calls);
  });

  it.each(['stripe', 'paypal'])(
    '%s: the outcome of a call that was not made is unknown, not refused',
    async (name) => {
      calls = 0;
      const rate = new CallRate(1);
      for (let place = 0; place < 11; place += 1) rate.take(monotonicMs());
      const outcome = await processorOf[name](rate).fetch({ kind: 'dispute', id: 'dp_1' });
      expect(outcome.outcome).toBe('unknown');
      expect(calls).toBe(0);
    },
  );
});
