import { beforeEach, describe, expect, it } from '@jest/globals';
import { planOfSku } from '#libs/contracts';
import { DAY_MS, HOUR_MS, addMonths, newId } from '#libs/platform';
import type {
  BillSnapshot,
  ChangeRequest,
  ChangeResult,
  CallResult,
  ProcessorRef,
  ProcessorSnapshot,
  SubscriptionSnapshot,
  UpgradeResult,
} from '../../apps/billing/src/processors/payment-processor.js';
import { planRefOf } from '../../apps/billing/src/plan-changes/plan-change.js';
import type { ProcessorHarness } from './processor-harness.js';

export function valueOf<T>(outcome: CallResult<T>): T {
  if (outcome.outcome === 'done') return outcome.value;
  throw new Error(`${outcome.outcome}: ${JSON.stringify(outcome)}`);
}

/**
 * A time after the last attempt of every processor. PayPal makes three attempts, five days apart, the last on the tenth
 * day.
 */
const LAST_ATTEMPT_MS = 11 * DAY_MS;

const planOf = (sku: string) => planRefOf(planOfSku(sku)!, 0);

/** The guarantees about subscriptions that every payment processor gives billing. */
export function describeSubscriptions(harnessOf: () => ProcessorHarness): void {
  describe('subscriptions', () => {
    let harness: ProcessorHarness;
    let start: Date;
    let id: string;
    let customerId: string;
    let orderId: string;

    async function fetched<Kind extends ProcessorRef['kind']>(kind: Kind, ref: string) {
      const snapshot = valueOf(await harness.processor.fetch({ kind, id: ref }));
      return snapshot as Extract<ProcessorSnapshot, { kind: Kind }>;
    }
    const now = (): Promise<SubscriptionSnapshot> => fetched('subscription', id);
    const lastBill = async (): Promise<BillSnapshot> =>
      fetched('bill', (await now()).latestBill?.id ?? '');
    const passTo = (time: Date) => harness.pass(time.getTime() - harness.clock.now().getTime());
    const needsApproval = () => harness.processor.capabilities.changesNeedApproval;
    /** If the processor requires the customer's approval, the customer approves. */
    async function agree(result: UpgradeResult | ChangeResult): Promise<void> {
      if (needsApproval() && 'redirectUrl' in result) await harness.agree(result.redirectUrl);
    }
    const changeTo = (sku: string, quantity = 1): ChangeRequest => ({
      subscriptionId: id,
      plan: planOf(sku),
      quantity,
      currency: 'USD',
    });

    /** Buys an API plan with 15K credits per month. */
    beforeEach(async () => {
      harness = harnessOf();
      start = new Date(Math.floor(harness.clock.now().getTime() / 1000) * 1000);
      orderId = newId();
      const plan = planOf('api-15K-month');
      const created = valueOf(
        await harness.processor.createCheckout({
          orderId,
          accountId: newId(),
          currency: 'USD',
          lines: [
            {
              name: plan.name,
              quantity: 1,
              amountMicros: plan.unitMicros,
              taxMicros: 0n,
              taxPpm: 0,
              plan,
            },
          ],
          expiresAt: new Date(harness.clock.now().getTime() + HOUR_MS),
          successUrl: 'http://localhost:1/paid',
          cancelUrl: 'http://localhost:1/not-paid',
        }),
      );
      ({ customerId } = created);
      await harness.act(created.redirectUrl, 'pay');
      const checkout = await fetched('checkout', created.checkoutId);
      expect(checkout).toMatchObject({ state: 'paid', orderId });
      id = checkout.subscriptionId!;
    });

    it('a paid checkout becomes a subscription with its first period, and its bill shows the payment', async () => {
      const end = addMonths(start, 1);
      const plan = {
        sku: 'api-15K-month',
        catalogueVersion: planOf('api-15K-month').catalogueVersion,
      };
      expect(await now()).toMatchObject({
        ...plan,
        orderId,
        state: 'active',
        quantity: 1,
        currency: 'USD',
        periodStart: start,
        periodEnd: end,
        cancelAt: null,
        pendingChange: null,
        latestBill: { isPaid: true },
      });
      const amountMicros = 27_000_000n;
      const bill = await lastBill();
      expect(bill).toMatchObject({
        subscriptionId: id,
        reason: 'start',
        state: 'paid',
        amountMicros,
      });
      expect(bill.lines).toMatchObject([{ ...plan, amountMicros, from: start, to: end }]);
      expect(await fetched('payment', bill.paymentId!)).toMatchObject({
        state: 'succeeded',
        amountMicros,
      });
    });

    it('it renews at the end of each period, and sends an event', async () => {
      const before = harness.received.length;
      await passTo(addMonths(start, 1));
      expect(await now()).toMatchObject({ periodStart: addMonths(start, 1) });
      expect(await lastBill()).toMatchObject({ reason: 'renewal', state: 'paid' });
      const bill = { kind: 'bill', id: (await now()).latestBill!.id };
      const verdicts = harness.received
        .slice(before)
        .map(({ raw, headers }) => harness.processor.verifyCallback(raw, headers));
      const refs = (await Promise.all(verdicts)).map((verdict) =>
        verdict.verdict === 'accepted' ? verdict.event.ref : undefined,
      );
      expect(refs).toContainEqual(bill);
      const { announcesRenewals } = harness.processor.capabilities;
      if (announcesRenewals) expect(refs).toContainEqual({ kind: 'subscription', id });
    });

    it('an unpaid renewal is first past due, and later unpaid', async () => {
      await harness.setCard(customerId, 'declines');
      await passTo(addMonths(start, 1));
      const { state, latestBill } = await now();
      expect([state, latestBill?.isPaid ?? false]).toEqual(['past_due', false]);
      await harness.pass(LAST_ATTEMPT_MS);
      expect((await now()).state).toBe('unpaid');
    });

    it('a past-due one that is paid later becomes active for the period that was due', async () => {
      await harness.setCard(customerId, 'declines');
      await passTo(addMonths(start, 1));
      await harness.setCard(customerId, 'works');
      await harness.pass(5 * DAY_MS);
      expect((await now()).state).toBe('active');
      const bill = await lastBill();
      expect(bill).toMatchObject({ state: 'paid', reason: 'renewal' });
      expect(bill.lines).toMatchObject([{ from: addMonths(start, 1), to: addMonths(start, 2) }]);
    });

    it('an upgrade costs what its preview says, and repeating the call changes nothing', async () => {
      await harness.pass(10 * DAY_MS);
      const from = new Date(start.getTime() + 10 * DAY_MS);
      const change = changeTo('api-50K-month');
      const { dueMicros } = valueOf(await harness.processor.previewChange(change, from));
      const asked = { ...change, from, changeId: newId() };
      const lost = await harness.losingAnswers(() => harness.processor.upgrade(asked));
      expect(lost.outcome).toBe('unknown');
      const again = valueOf(await harness.processor.upgrade(asked));
      expect(again.state).toBe(needsApproval() ? 'payment_required' : 'paid');
      await agree(again);
      expect(await now()).toMatchObject({ sku: 'api-50K-month', periodEnd: addMonths(start, 1) });
      expect(valueOf(await harness.processor.upgrade(asked))).toEqual({ state: 'paid' });
      const bill = await lastBill();
      expect(bill).toMatchObject({ reason: 'change', state: 'paid', amountMicros: dueMicros });
      const gained = bill.lines.find(({ amountMicros }) => amountMicros >= 0n);
      expect(gained).toMatchObject({ sku: 'api-50K-month', from, to: addMonths(start, 1) });
      expect(bill.lines.reduce((sum, line) => sum + line.amountMicros, 0n)).toBe(dueMicros);
    });

    it('an unpaid upgrade changes nothing', async () => {
      await harness.setCard(customerId, 'declines');
      const asked = { ...changeTo('api-50K-month'), from: start, changeId: newId() };
      expect(valueOf(await harness.processor.upgrade(asked)).state).toBe('payment_required');
      expect(await now()).toMatchObject({ state: 'active', sku: 'api-15K-month' });
      await harness.pass(DAY_MS);
      expect(await now()).toMatchObject({ state: 'active', sku: 'api-15K-month' });
    });

    it('a downgrade waits for the end of the period, and costs the new price from then on', async () => {
      await agree(
        valueOf(await harness.processor.changeAtPeriodEnd(changeTo('api-5K-month'), newId())),
      );
      expect(await now()).toMatchObject({
        sku: 'api-15K-month',
        pendingChange: { sku: 'api-5K-month', quantity: 1 },
      });
      await passTo(addMonths(start, 1));
      expect(await now()).toMatchObject({ sku: 'api-5K-month', pendingChange: null });
      expect(await lastBill()).toMatchObject({ amountMicros: 10_000_000n });
    });

    it('a change of interval also waits, and begins a new period', async () => {
      await agree(
        valueOf(await harness.processor.changeAtPeriodEnd(changeTo('api-15K-year'), newId())),
      );
      const turn = addMonths(start, 1);
      await passTo(turn);
      expect(await now()).toMatchObject({ periodStart: turn, periodEnd: addMonths(turn, 12) });
      expect(await lastBill()).toMatchObject({ amountMicros: 268_920_000n });
    });

    it.each(['cancellation', 'change'])(
      'a %s at the end of the period can be withdrawn',
      async (what) => {
        const change = async (sku: string) =>
          agree(valueOf(await harness.processor.changeAtPeriodEnd(changeTo(sku), newId())));
        if (what === 'change') await change('api-5K-month');
        else valueOf(await harness.processor.cancel(id, 'period_end', newId()));
        const isAgreedTo = what === 'change' && needsApproval();
        if (isAgreedTo) {
          // The change that the customer accepted at the processor is undone there, too.
          expect((await harness.processor.resume(id, newId())).outcome).toBe('refused');
          await change('api-15K-month');
        } else valueOf(await harness.processor.resume(id, newId()));
        expect(await now()).toMatchObject({ state: 'active', cancelAt: null, pendingChange: null });
        await passTo(addMonths(start, 1));
        expect(await now()).toMatchObject({ state: 'active', sku: 'api-15K-month' });
      },
    );

    it('a cancelled one runs to the end of its period and is not renewed', async () => {
      const end = addMonths(start, 1);
      const cancelled = valueOf(await harness.processor.cancel(id, 'period_end', newId()));
      expect(cancelled).toMatchObject({ state: 'active', cancelAt: end });
      await passTo(end);
      expect(await now()).toMatchObject({ state: 'cancelled' });
      expect((await lastBill()).reason).toBe('start');
      expect((await harness.processor.resume(id, newId())).outcome).toBe('refused');
    });

    it('an immediate end takes effect even if the answer is lost', async () => {
      const key = newId();
      const lost = await harness.losingAnswers(() => harness.processor.cancel(id, 'now', key));
      expect(lost.outcome).toBe('unknown');
      expect((await now()).state).toBe('cancelled');
      expect(valueOf(await harness.processor.cancel(id, 'now', key)).state).toBe('cancelled');
    });

    it('the return to an earlier plan creates no bill', async () => {
      const asked = { ...changeTo('api-50K-month'), from: start, changeId: newId() };
      await agree(valueOf(await harness.processor.upgrade(asked)));
      expect((await lastBill()).reason).toBe('change');
      const set = valueOf(await harness.processor.setPlan(changeTo('api-15K-month'), newId()));
      const plan = { sku: 'api-15K-month', periodEnd: addMonths(start, 1) };
      expect(set).toMatchObject(plan);
      expect(await now()).toMatchObject(plan);
      await passTo(addMonths(start, 1));
      // A change that the customer accepted at the processor still applies to the next period.
      const { unitMicros } = planOf(needsApproval() ? 'api-50K-month' : 'api-15K-month');
      expect(await lastBill()).toMatchObject({ reason: 'renewal', amountMicros: unitMicros });
    });

    it('payment details are changed on the processor’s page, and no card data reaches us', async () => {
      const url = valueOf(
        await harness.processor.paymentUpdateUrl(customerId, 'http://localhost:1/'),
      );
      const page = await (await fetch(url)).text();
      expect(page).not.toMatch(/<input|<script|<iframe/i);
    });
  });
}
