import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import type {
  CheckoutRequest,
  CheckoutSnapshot,
  CreatedCheckout,
  ProcessorRef,
  ProcessorSnapshot,
} from '../../apps/billing/src/processors/payment-processor.js';
import { describeSubscriptions, valueOf } from './subscriptions.contract.js';
import type { CheckoutAction, ProcessorHarness, ReceivedCallback } from './processor-harness.js';

const MICROS = 54_000_000n;

/** The guarantees that every payment processor gives billing. */
export function describePaymentProcessor(
  name: string,
  open: () => Promise<ProcessorHarness>,
): void {
  describe(`payment processor: ${name}`, () => {
    let harness: ProcessorHarness;

    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.stop());

    const request = (extra: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
      orderId: newId(),
      accountId: newId(),
      currency: 'USD',
      lines: [
        { name: '15,000 credits', quantity: 1, amountMicros: MICROS, taxMicros: 0n, taxPpm: 0 },
      ],
      expiresAt: new Date(harness.clock.now().getTime() + HOUR_MS),
      successUrl: 'http://localhost:1/paid?order=1',
      cancelUrl: 'http://localhost:1/not-paid',
      ...extra,
    });

    const checkout = async (asked = request()): Promise<CreatedCheckout> =>
      valueOf(await harness.processor.createCheckout(asked));

    async function fetched<Kind extends ProcessorRef['kind']>(kind: Kind, id: string) {
      const snapshot = valueOf(await harness.processor.fetch({ kind, id }));
      return snapshot as Extract<ProcessorSnapshot, { kind: Kind }>;
    }

    async function afterwards(action: CheckoutAction): Promise<CheckoutSnapshot> {
      const { checkoutId, redirectUrl } = await checkout();
      await harness.act(redirectUrl, action);
      return fetched('checkout', checkoutId);
    }

    async function paid() {
      const { payment } = await afterwards('pay');
      return payment!;
    }

    /** The refs named by all callbacks after the first `count`. */
    async function refsSince(count: number): Promise<(ProcessorRef | undefined)[]> {
      await harness.delivered();
      const arrived = harness.received.slice(count).map(async ({ raw, headers }) => {
        const verdict = await harness.processor.verifyCallback(raw, headers);
        return verdict.verdict === 'accepted' ? verdict.event.ref : undefined;
      });
      return Promise.all(arrived);
    }

    describe('checkout', () => {
      it('leads to the processor’s page, and a customer’s return from it is not a payment', async () => {
        const { checkoutId, redirectUrl } = await checkout();
        const page = await (await fetch(redirectUrl)).text();
        expect(page).toContain('$54.00');
        expect(page).toContain('Payment simulator');
        expect(valueOf(await harness.processor.completeReturn(checkoutId)).id).toBe(checkoutId);
        expect(await fetched('checkout', checkoutId)).toMatchObject({ state: 'open' });
      });

      it('S40: the page does not ask for card data', async () => {
        const page = await (await fetch((await checkout()).redirectUrl)).text();
        expect(page).not.toMatch(/<input|<script|<iframe/i);
      });

      it.each([
        ['pay', 'paid', 'succeeded'],
        ['three-d-secure', 'paid', 'succeeded'],
        ['delayed', 'processing', 'pending'],
      ] as const)('after "%s" it is %s and its payment %s', async (action, state, payment) => {
        const asked = request();
        const { checkoutId, redirectUrl } = await checkout(asked);
        expect(await harness.act(redirectUrl, action)).toContain('/paid?order=1');
        expect(await fetched('checkout', checkoutId)).toMatchObject({
          orderId: asked.orderId,
          state,
          amountMicros: MICROS,
          currency: 'USD',
          payment: {
            kind: 'payment',
            orderId: asked.orderId,
            state: payment,
            amountMicros: MICROS,
          },
        });
      });

      it.each(['decline', 'abandon'] as const)('after "%s" it is open', async (action) => {
        expect(await afterwards(action)).toMatchObject({ state: 'open' });
      });

      it('a delayed payment arrives days later, or fails', async () => {
        const [arriving, failing] = [await checkout(), await checkout()];
        await harness.act(arriving.redirectUrl, 'delayed');
        await harness.act(failing.redirectUrl, 'delayed-failing');
        for (const { checkoutId } of [arriving, failing]) {
          expect(await fetched('checkout', checkoutId)).toMatchObject({ state: 'processing' });
        }
        const before = harness.received.length;
        await harness.pass(3 * DAY_MS);
        expect(await fetched('checkout', arriving.checkoutId)).toMatchObject({ state: 'paid' });
        expect(await fetched('checkout', failing.checkoutId)).toMatchObject({ state: 'failed' });
        const refs = await refsSince(before);
        for (const { checkoutId } of [arriving, failing]) {
          const { id, payment } = await fetched('checkout', checkoutId);
          expect(refs.some((ref) => [id, payment?.id].includes(ref?.id))).toBe(true);
        }
      });

      it('an unpaid one expires in time, and a callback says so if the processor sends one', async () => {
        const { checkoutId } = await checkout();
        const before = harness.received.length;
        await harness.pass(HOUR_MS);
        expect(await fetched('checkout', checkoutId)).toMatchObject({ state: 'expired' });
        const told = harness.processor.capabilities.announcesExpiry
          ? expect.arrayContaining([{ kind: 'checkout', id: checkoutId }])
          : [];
        expect(await refsSince(before)).toEqual(told);
      });

      it('a closed order cannot be paid, and a paid one cannot be closed', async () => {
        const [open, done] = [await checkout(), await checkout()];
        expect(valueOf(await harness.processor.closeCheckout(open.checkoutId)).state).toBe(
          'expired',
        );
        await harness.act(open.redirectUrl, 'pay');
        expect(await fetched('checkout', open.checkoutId)).toMatchObject({ state: 'expired' });
        await harness.act(done.redirectUrl, 'pay');
        expect(await fetched('checkout', done.checkoutId)).toMatchObject({ state: 'paid' });
        expect((await harness.processor.closeCheckout(done.checkoutId)).outcome).toBe('refused');
      });
    });

    describe('calls', () => {
      it('a repeated creation returns the same checkout', async () => {
        const asked = request();
        expect(await checkout(asked)).toEqual(await checkout(asked));
      });

      it('after a lost answer the result is unknown, and repeating the call returns the one checkout', async () => {
        const asked = request({ customerId: (await checkout()).customerId });
        const before = harness.count('checkout');
        const lost = await harness.losingAnswers(() => harness.processor.createCheckout(asked));
        expect(lost.outcome).toBe('unknown');
        const created = await checkout(asked);
        expect(harness.count('checkout')).toBe(before + 1);
        const found = await harness.processor.findCheckout(asked.orderId, created.customerId);
        const { findsCheckouts } = harness.processor.capabilities;
        expect(valueOf(found)?.id).toBe(findsCheckouts ? created.checkoutId : undefined);
        expect(
          valueOf(await harness.processor.findCheckout(newId(), created.customerId)),
        ).toBeNull();
      });

      it('the same order with different content is rejected', async () => {
        const asked = request();
        await checkout(asked);
        const lines = [{ ...asked.lines[0], amountMicros: 10_000n }];
        const second = await harness.processor.createCheckout({ ...asked, lines });
        expect(second.outcome).toBe('refused');
      });

      it('an unknown object is a refusal, not a failure', async () => {
        const answer = await harness.processor.fetch({ kind: 'checkout', id: 'cs_test_none' });
        expect(answer.outcome).toBe('refused');
      });
    });

    describe('callbacks', () => {
      async function oneCallback(): Promise<ReceivedCallback> {
        const before = harness.received.length;
        await afterwards('pay');
        await waitFor('a callback', () => harness.received.length > before);
        return harness.received[before];
      }

      const verdictOn = async ({ raw, headers }: ReceivedCallback, adapter = harness.processor) => {
        const answer = await adapter.verifyCallback(raw, headers);
        return answer.verdict === 'rejected' ? answer.reason : answer.verdict;
      };

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
        const signed = harness.sign(raw);
        const at = harness.clock.now().getTime();
        for (const [offsetMs, verdict] of [
          [300 * SECOND_MS, 'accepted'],
          [-300 * SECOND_MS, 'accepted'],
          [301 * SECOND_MS, 'stale'],
          [-301 * SECOND_MS, 'stale'],
        ] as const) {
          harness.clock.set(new Date(at + offsetMs));
          expect([offsetMs, await verdictOn(signed)]).toEqual([offsetMs, verdict]);
        }
        harness.clock.set(new Date(at));
      });

      it('S43: during a rotation both secrets are accepted, and a third is not', async () => {
        const { raw } = await oneCallback();
        const rotating = harness.adapterWith(['next', 'current']);
        expect(await verdictOn(harness.sign(raw, 'current'), rotating)).toBe('accepted');
        expect(await verdictOn(harness.sign(raw, 'next'), rotating)).toBe('accepted');
        expect(await verdictOn(harness.sign(raw, 'foreign'), rotating)).toBe('wrong_signature');
        expect(await verdictOn(harness.sign(raw, 'current'), harness.adapterWith(['next']))).toBe(
          'wrong_signature',
        );
      });

      it('S45: unsigned, empty and foreign callbacks are rejected, and so are live ones in test mode', async () => {
        const { raw, headers } = await oneCallback();
        expect(await verdictOn({ raw, headers: {} })).toBe('unsigned');
        expect(await verdictOn({ raw: Buffer.alloc(0), headers })).toBe('wrong_signature');
        for (const text of ['{}', '[]', 'null', 'not json', '{"object":"event"}']) {
          expect([text, await verdictOn(harness.sign(Buffer.from(text)))]).toEqual([
            text,
            'malformed',
          ]);
        }
        expect(await verdictOn(harness.signAsLive(raw))).toBe('wrong_mode');
      });
    });

    describe('reversals', () => {
      it('a refund is found by its callback, and happens once', async () => {
        const payment = await paid();
        const [refundId, before] = [newId(), harness.received.length];
        const asked = { refundId, paymentId: payment.id, amountMicros: 20_000_000n };
        const refund = valueOf(await harness.processor.refund(asked));
        expect(valueOf(await harness.processor.refund(asked))).toEqual(refund);
        expect(refund).toMatchObject({ refundId, paymentId: payment.id, state: 'succeeded' });
        expect(await refsSince(before)).toContainEqual({ kind: 'refund', id: refund.id });
        await harness.failRefund(refund);
        expect(await fetched('refund', refund.id)).toMatchObject({ state: 'failed' });
      });

      it('a refund of more than was paid is rejected, with the amount already refunded', async () => {
        const { id: paymentId } = await paid();
        const refund = (amountMicros: bigint) =>
          harness.processor.refund({ refundId: newId(), paymentId, amountMicros });
        expect((await refund(MICROS + 10_000n)).outcome).toBe('refused');
        expect((await refund(MICROS - 10_000n)).outcome).toBe('done');
        expect((await refund(20_000n)).outcome).toBe('refused');
      });

      it('after a lost answer the result of a refund is unknown, and repeating the call refunds nothing more', async () => {
        const asked = { refundId: newId(), paymentId: (await paid()).id, amountMicros: MICROS };
        const before = harness.count('refund');
        const lost = await harness.losingAnswers(() => harness.processor.refund(asked));
        expect(lost.outcome).toBe('unknown');
        expect(valueOf(await harness.processor.refund(asked)).state).toBe('succeeded');
        expect(harness.count('refund')).toBe(before + 1);
        const found = await harness.processor.findRefund(asked.refundId, asked.paymentId);
        expect(valueOf(found)).toMatchObject({ refundId: asked.refundId, state: 'succeeded' });
        const none = await harness.processor.findRefund(newId(), asked.paymentId);
        expect(valueOf(none)).toBeNull();
      });

      it('a dispute is first open and then decided, and the decision may change later', async () => {
        const payment = await paid();
        const before = harness.received.length;
        const id = await harness.dispute(payment.id);
        const expected = { paymentId: payment.id, amountMicros: MICROS, currency: 'USD' };
        expect(await fetched('dispute', id)).toMatchObject({ ...expected, state: 'open' });
        await harness.decideDispute(id, 'won');
        expect(await fetched('dispute', id)).toMatchObject({ state: 'won' });
        await harness.decideDispute(id, 'lost');
        expect(await fetched('dispute', id)).toMatchObject({ state: 'lost' });
        expect(await refsSince(before)).toContainEqual({ kind: 'dispute', id });
      });
    });

    describeSubscriptions(() => harness);

    it('every event is listed, oldest first, whether or not its callback arrived', async () => {
      let cursor = harness.clock.now();
      for (let i = 0; i < 60; i += 1) await paid();
      await harness.pass(HOUR_MS + MINUTE_MS);
      const { id } = await paid();
      await harness.pass(MINUTE_MS);
      const listed: string[] = [];
      const refs: (string | undefined)[] = [];
      for (let hasMore = true; hasMore;) {
        const page = valueOf(await harness.processor.listSince(cursor));
        const times = page.events.map(({ occurredAt }) => occurredAt.getTime());
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        listed.push(...page.events.map((event) => event.id));
        refs.push(...page.events.map(({ ref }) => ref?.id));
        ({ cursor, hasMore } = page);
      }
      expect(new Set(listed).size).toBe(listed.length);
      expect(listed.length).toBeGreaterThanOrEqual(62);
      expect(refs).toContain(id);
      expect(valueOf(await harness.processor.listSince(cursor)).events).toEqual([]);
    });
  });
}
