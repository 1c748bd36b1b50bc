import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOUR_MS, MINUTE_MS, SECOND_MS, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import type {
  CallResult,
  CheckoutRequest,
  CheckoutSnapshot,
  PaymentProcessor,
} from '../../apps/billing/src/processors/payment-processor.js';
import type { CallbackSender } from '../../apps/simulators/src/payments/callback-sender.js';
import { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { pressButton } from './hosted-page.js';

export interface SignedCallback {
  raw: Buffer;
  headers: Record<string, string>;
}

export interface Simulated {
  simulator: PaymentsSimulator;
  clock: TestClock;
  apiUrl: string;
}

/** A real adapter and its simulated processor, which communicate over real sockets. */
export interface ProcessorParts {
  /** The callback secrets; `current` is the secret of the endpoint. */
  secrets: Record<'current' | 'next' | 'foreign', string>;
  adapterWith(secrets: readonly string[], simulated: Simulated): PaymentProcessor;
  callbacksOf(simulator: PaymentsSimulator): CallbackSender;
  sign(raw: Buffer, secret: string, simulated: Simulated): SignedCallback;
  /** Turns an event into one of the processor's live mode, while the adapter is in test mode. */
  asLive(raw: Buffer, sign: (raw: Buffer) => SignedCallback): SignedCallback;
}

function valueOf<T>(outcome: CallResult<T>): T {
  if (outcome.outcome === 'done') return outcome.value;
  throw new Error(`${outcome.outcome}: ${JSON.stringify(outcome)}`);
}

/** The guarantees that every processor must give to billing, except those that billing's own specs check for both. */
export function describePaymentProcessor(name: string, parts: ProcessorParts): void {
  describe(`payment processor: ${name}`, () => {
    const clock = new TestClock();
    const simulator = new PaymentsSimulator(clock);
    const { secrets } = parts;
    let simulated: Simulated;
    let processor: PaymentProcessor;

    beforeAll(async () => {
      simulated = { simulator, clock, apiUrl: await simulator.start() };
      processor = parts.adapterWith([secrets.current], simulated);
      const callbacks = parts.callbacksOf(simulator);
      callbacks.target = { url: 'http://localhost:1/', secret: secrets.current };
      callbacks.hold();
    });
    afterAll(() => simulator.stop());

    const request = (): CheckoutRequest => ({
      orderId: newId(),
      accountId: newId(),
      currency: 'USD',
      lines: [
        { name: 'Credits', quantity: 1, amountMicros: 54_000_000n, taxMicros: 0n, taxPpm: 0 },
      ],
      expiresAt: new Date(clock.now().getTime() + HOUR_MS),
      successUrl: 'http://localhost:1/paid?order=1',
      cancelUrl: 'http://localhost:1/not-paid',
    });
    const checkout = async () => valueOf(await processor.createCheckout(request()));
    const pass = (ms: number) => {
      clock.advance(ms);
      simulator.clock.runDue();
    };

    async function pay(): Promise<string> {
      const { checkoutId, redirectUrl } = await checkout();
      await pressButton(redirectUrl, 'pay');
      const paid = valueOf(await processor.fetch({ kind: 'checkout', id: checkoutId }));
      return (paid as CheckoutSnapshot).payment!.id;
    }

    it('S40: its pages do not ask for card data', async () => {
      const { redirectUrl, customerId } = await checkout();
      const update = await processor.paymentUpdateUrl(customerId, 'http://localhost:1/');
      for (const url of [redirectUrl, valueOf(update)]) {
        const page = await (await fetch(url)).text();
        expect(page).toContain('Payment simulator');
        expect(page).not.toMatch(/<input|<script|<iframe/i);
      }
    });

    it('the same order with different content is rejected', async () => {
      const asked = request();
      valueOf(await processor.createCheckout(asked));
      const lines = [{ ...asked.lines[0], amountMicros: 10_000n }];
      expect((await processor.createCheckout({ ...asked, lines })).outcome).toBe('refused');
    });

    it('an unknown object is a refusal, not a failure', async () => {
      const answer = await processor.fetch({ kind: 'checkout', id: 'cs_test_none' });
      expect(answer.outcome).toBe('refused');
    });

    describe('callbacks', () => {
      const sign = (raw: Buffer, secret = secrets.current) => parts.sign(raw, secret, simulated);
      const verdictOn = async ({ raw, headers }: SignedCallback, adapter = processor) => {
        const answer = await adapter.verifyCallback(raw, headers);
        return answer.verdict === 'rejected' ? answer.reason : answer.verdict;
      };

      async function oneCallback(): Promise<SignedCallback> {
        await pay();
        const callbacks = parts.callbacksOf(simulator);
        const [first] = callbacks.takeHeld();
        callbacks.hold();
        return { raw: Buffer.from(first.body), headers: first.headers(secrets.current) };
      }

      it('S41: a body with one flipped byte, or one that was parsed and serialised again, is rejected', async () => {
        const { raw, headers } = await oneCallback();
        expect(await verdictOn({ raw, headers })).toBe('accepted');
        const flipped = Buffer.from(raw);
        flipped[raw.length - 3] ^= 1;
        expect(await verdictOn({ raw: flipped, headers })).toBe('wrong_signature');
        const rewritten = Buffer.from(JSON.stringify(JSON.parse(raw.toString()), null, 1));
        expect(await verdictOn({ raw: rewritten, headers })).toBe('wrong_signature');
      });

      it('S42: a signature more than 300 s in the past or in the future is rejected', async () => {
        const { raw } = await oneCallback();
        const signed = sign(raw);
        const at = clock.now().getTime();
        for (const [offsetMs, verdict] of [
          [300 * SECOND_MS, 'accepted'],
          [-300 * SECOND_MS, 'accepted'],
          [301 * SECOND_MS, 'stale'],
          [-301 * SECOND_MS, 'stale'],
        ] as const) {
          clock.set(new Date(at + offsetMs));
          expect([offsetMs, await verdictOn(signed)]).toEqual([offsetMs, verdict]);
        }
        clock.set(new Date(at));
      });

      it('S43: during a rotation both secrets are accepted, and a third is not', async () => {
        const { raw } = await oneCallback();
        const { current, next, foreign } = secrets;
        const rotating = parts.adapterWith([next, current], simulated);
        expect(await verdictOn(sign(raw, current), rotating)).toBe('accepted');
        expect(await verdictOn(sign(raw, next), rotating)).toBe('accepted');
        expect(await verdictOn(sign(raw, foreign), rotating)).toBe('wrong_signature');
        const rotated = parts.adapterWith([next], simulated);
        expect(await verdictOn(sign(raw, current), rotated)).toBe('wrong_signature');
      });

      it('S45: unsigned, empty and foreign callbacks are rejected, and so are live ones in test mode', async () => {
        const { raw, headers } = await oneCallback();
        expect(await verdictOn({ raw, headers: {} })).toBe('unsigned');
        expect(await verdictOn({ raw: Buffer.alloc(0), headers })).toBe('wrong_signature');
        for (const text of ['{}', '[]', 'null', 'not json', '{"object":"event"}']) {
          const verdict = await verdictOn(sign(Buffer.from(text)));
          expect([text, verdict]).toEqual([text, 'malformed']);
        }
        expect(await verdictOn(parts.asLive(raw, sign))).toBe('wrong_mode');
      });
    });

    it('every event is listed, oldest first, whether or not its callback arrived', async () => {
      let cursor = clock.now();
      for (let i = 0; i < 60; i += 1) await pay();
      pass(HOUR_MS + MINUTE_MS);
      const id = await pay();
      pass(MINUTE_MS);
      const listed: string[] = [];
      const refs: (string | undefined)[] = [];
      for (let hasMore = true; hasMore;) {
        const page = valueOf(await processor.listSince(cursor));
        const times = page.events.map(({ occurredAt }) => occurredAt.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        listed.push(...page.events.map((event) => event.id));
        refs.push(...page.events.map(({ ref }) => ref?.id));
        ({ cursor, hasMore } = page);
      }
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.length).toBeGreaterThanOrEqual(62);
      expect(refs).toContain(id);
      expect(valueOf(await processor.listSince(cursor)).events).toEqual([]);
    });
  });
}
