import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { SubscriptionAnswer } from '#libs/contracts';
import { HOUR_MS, MINUTE_MS, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { agreeAtPaypal, pressButton } from '../../../../test/billing/hosted-page.js';
import { PaypalRefusal } from '../../../simulators/src/payments/paypal/paypal-refusal.js';
import { StripeRefusal } from '../../../simulators/src/payments/stripe/requests/stripe-refusal.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { MailNoticesJob } from '../subscription-notices/mail-notices.job.js';

const WISH = { sku: 'api-50K-month' };

describe('an unpaid plan change', () => {
  let billing: BillingUnderTest;
  let accountId: string;
  let id: string;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
  });
  afterAll(() => billing.stop());
  afterEach(() => {
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  async function subscribed(processor: 'stripe' | 'paypal'): Promise<void> {
    accountId = billing.newAccount();
    const body = { product: 'subscription', sku: 'api-15K-month', processor };
    await billing.act((await billing.call('POST', 'orders', { accountId, body })).body, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    ({ id } = listed.subscriptions[0]);
  }
  async function ask(action: string, body: object = {}, headers: Record<string, string> = {}) {
    const call = { accountId, body, headers };
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, call);
    await billing.settle();
    return answer;
  }
  async function now(): Promise<SubscriptionAnswer> {
    return (await billing.call('GET', `subscriptions/${id}`, { accountId })).body;
  }
  const card = (behaviour: 'works' | 'asks' | 'declines') => {
    const [{ customer }] = billing.simulator.world.all('subscription');
    billing.simulator.invoices.setCard(customer as string, behaviour);
  };
  const paid = async () =>
    (await billing.events(accountId)).filter(({ type }) => type === 'billing.payment-confirmed');
  const newestAtPaypal = () => {
    const { id: newest } = billing.simulator.paypal.world.all('subscription').at(-1)!;
    return { processor: 'paypal', kind: 'subscription', id: newest } as const;
  };
  async function mails(): Promise<string[]> {
    await billing.get(MailNoticesJob).runOnce();
    return (await billing.deliverMail(accountId)).map(({ subject }) => subject);
  }

  it('is shown with the amount due after the card has been declined, also by e-mail, and can be paid on its page', async () => {
    await subscribed('stripe');
    card('declines');
    const asked = await ask('change', WISH);
    expect(asked.body.subscription).toMatchObject({
      sku: 'api-15K-month',
      unpaid_change: { ...WISH, quantity: 1, due_micros: '48000000', is_declined: true },
    });
    const open = 'Your payment was declined: 48.00 USD is due';
    expect(await mails()).toContain(open);
    expect((await mails()).filter((subject) => subject === open)).toHaveLength(1);
    const { unpaid_change: unpaid } = await now();
    await pressButton(unpaid!.pay_url!, 'pay');
    await billing.settle();
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
    expect(await paid()).toHaveLength(2);
  });

  it('is not reported as declined if the card needs authentication, and is abandoned after a day', async () => {
    await subscribed('stripe');
    card('asks');
    await ask('change', WISH);
    expect((await now()).unpaid_change).toMatchObject({ is_declined: false });
    expect(await mails()).not.toContain('Your payment was declined: 48.00 USD is due');
    await billing.pass(24 * HOUR_MS);
    expect(await now()).toMatchObject({ sku: 'api-15K-month', unpaid_change: null });
  });

  it('can be dropped: nothing stays open, and another change can be requested within the same second', async () => {
    await subscribed('stripe');
    card('declines');
    const first = { 'idempotency-key': newId() };
    await ask('change', WISH, first);
    const dropped = await ask('drop');
    expect(dropped).toMatchObject({ status: 200, body: { subscription: { unpaid_change: null } } });
    const [invoice] = billing.simulator.world.all('invoice');
    expect(invoice.status).toBe('void');
    expect(await ask('drop')).toMatchObject({ status: 200 });
    card('works');
    // Repeating a request that was sent before the drop does not request the change again.
    await ask('change', WISH, first);
    expect(await paid()).toHaveLength(1);
    await ask('change', WISH, { 'idempotency-key': newId() });
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
    expect(await paid()).toHaveLength(2);
  });

  it('is replaced by another change, after which its page takes no money', async () => {
    await subscribed('stripe');
    card('asks');
    const { body } = await ask('change', WISH, { 'idempotency-key': newId() });
    const again = await ask('change', WISH, { 'idempotency-key': newId() });
    expect(again.body.redirect_url).toBe(body.redirect_url);
    card('works');
    await ask('change', { sku: 'api-150K-month' }, { 'idempotency-key': newId() });
    expect(await now()).toMatchObject({ sku: 'api-150K-month', unpaid_change: null });
    await pressButton(body.redirect_url, 'pay').catch(() => {});
    await billing.settle();
    expect(await paid()).toHaveLength(2);
  });

  it('is replaced by a downgrade, which waits for the end of the period', async () => {
    await subscribed('stripe');
    card('asks');
    const { body } = await ask('change', WISH);
    expect((await ask('change', { sku: 'api-5K-month' })).body.subscription).toMatchObject({
      sku: 'api-15K-month',
      pending_change: { sku: 'api-5K-month' },
      unpaid_change: null,
    });
    await pressButton(body.redirect_url, 'pay').catch(() => {});
    await billing.settle();
    expect(await paid()).toHaveLength(1);
  });

  it('leaves a downgrade waiting if Stripe refuses the upgrade that would have replaced it', async () => {
    await subscribed('stripe');
    await ask('change', { sku: 'api-5K-month' });
    jest.spyOn(billing.simulator.subscriptions, 'update').mockImplementationOnce(() => {
      throw StripeRefusal.invalid('resource_missing', 'This customer has no payment method.');
    });
    expect((await ask('change', WISH)).status).toBe(422);
    const waiting = { sku: 'api-15K-month', pending_change: { sku: 'api-5K-month' } };
    expect(await now()).toMatchObject(waiting);
    await ask('change', WISH);
    expect(await now()).toMatchObject({ ...WISH, pending_change: null });
  });

  it('is shown with the amount due and PayPal’s refusal, and can be paid in another way', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    expect(body.subscription.unpaid_change).toMatchObject({
      ...WISH,
      due_micros: '48000000',
      is_declined: false,
      pay_url: null,
    });
    await agreeAtPaypal(body.redirect_url, 'decline');
    await billing.settle();
    const { sku, unpaid_change: unpaid } = await now();
    expect([sku, unpaid?.is_declined]).toEqual(['api-15K-month', true]);
    expect(await mails()).toContain('Your payment was declined: 48.00 USD is due');
    await pressButton(unpaid!.pay_url!, 'pay');
    await billing.settle();
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
  });

  it.each([
    ['PAYMENT_DENIED', 'another change', 'change', { sku: 'api-5K-month' }],
    ['PAYMENT_DENIED', 'a cancellation', 'cancel', {}],
    ['PAYEE_ACCOUNT_RESTRICTED', 'another change', 'change', { sku: 'api-5K-month' }],
    ['PAYEE_ACCOUNT_RESTRICTED', 'a cancellation', 'cancel', {}],
  ])(
    'is not paid after PayPal has refused its payment (%s) and its customer has asked for %s',
    async (issue, _, action, body) => {
      await subscribed('paypal');
      const { redirect_url: page } = (await ask('change', WISH)).body;
      // PayPal keeps the approval of an order after some of its refusals.
      const declining = jest.spyOn(billing.simulator.paypal.orders, 'capture');
      declining.mockImplementation(() => {
        throw PaypalRefusal.unprocessable(issue, 'PayPal declined this transaction.');
      });
      await agreeAtPaypal(page);
      await billing.settle();
      declining.mockRestore();
      const isDeclined = issue === 'PAYMENT_DENIED';
      expect((await now()).unpaid_change).toMatchObject({ ...WISH, is_declined: isDeclined });
      expect(await ask(action, body)).toMatchObject({ status: 200 });
      expect(await now()).toMatchObject({ sku: 'api-15K-month', unpaid_change: null });
      expect(await paid()).toHaveLength(1);
    },
  );

  it('is set aside with PayPal’s reason while the operator’s account may not take its payment', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    const restricted = jest.spyOn(billing.simulator.paypal.orders, 'capture');
    restricted.mockImplementation(() => {
      throw PaypalRefusal.unprocessable('PAYEE_ACCOUNT_RESTRICTED', 'It is restricted.');
    });
    await agreeAtPaypal(body.redirect_url);
    await billing.settle();
    const setAside = async () =>
      (await billing.call('GET', 'operator/set-aside', { caller: 'cli' })).body;
    const reason =
      'the processor does not take the payment of a change: PAYEE_ACCOUNT_RESTRICTED: It is restricted.';
    const known = expect.objectContaining({ kind: 'subscriptions', id, reason });
    expect(await setAside()).toContainEqual(known);
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      unpaid_change: { ...WISH, is_declined: false },
    });
    restricted.mockRestore();
    await billing.get(SyncService).sync(newestAtPaypal());
    expect(await setAside()).not.toContainEqual(known);
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
  });

  it('is neither dropped nor replaced while PayPal reviews it: it is paid once and then takes effect', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    await agreeAtPaypal(body.redirect_url, 'delayed');
    await billing.settle();
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      unpaid_change: { ...WISH, is_declined: false, pay_url: null },
    });
    for (const [action, wish] of [
      ['change', WISH],
      ['change', { sku: 'api-150K-month' }],
      ['change', { sku: 'api-5K-month' }],
      ['drop', {}],
    ] as const) {
      const refused = { status: 409, body: { code: 'plan_not_changeable' } };
      expect(await ask(action, wish)).toMatchObject(refused);
    }
    await billing.pass(3 * 24 * HOUR_MS);
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
    expect(await paid()).toHaveLength(2);
  });

  it('is not replaced before PayPal’s decision, even if the review lasts beyond the end of the period', async () => {
    await subscribed('paypal');
    const end = new Date((await now()).period_end).getTime();
    await billing.pass(end - billing.clock.now().getTime() - 24 * HOUR_MS);
    const { body } = await ask('change', WISH);
    await agreeAtPaypal(body.redirect_url, 'delayed');
    await billing.settle();
    await billing.pass(2 * 24 * HOUR_MS);
    expect(await paid()).toHaveLength(2);
    const refused = { status: 409, body: { code: 'plan_not_changeable' } };
    expect(await ask('change', { sku: 'api-150K-month' })).toMatchObject(refused);
  });

  it('takes effect if PayPal takes the payment while the change is being dropped', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    await pressButton(body.redirect_url, 'agree' as never);
    await billing.settle();
    const { callbacks, orders, subscriptions, world } = billing.simulator.paypal;
    callbacks.hold();
    const { id: order } = world.all('order').at(-1)!;
    orders.approve(order, 'pays');
    const patch = subscriptions.patch.bind(subscriptions);
    subscriptions.patch = (...patched) => {
      subscriptions.patch = patch;
      orders.capture(order);
      return patch(...patched);
    };
    expect((await ask('drop')).body.subscription).toMatchObject({ ...WISH, unpaid_change: null });
    callbacks.takeHeld();
    expect(await paid()).toHaveLength(2);
  });

  it('takes effect at once even if another call has just taken its payment', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    await pressButton(body.redirect_url, 'agree' as never);
    await billing.settle();
    const { callbacks, orders, world } = billing.simulator.paypal;
    callbacks.hold();
    orders.approve(world.all('order').at(-1)!.id, 'pays');
    const capture = orders.capture.bind(orders);
    jest.spyOn(orders, 'capture').mockImplementationOnce((order) => {
      capture(order);
      return capture(order);
    });
    await billing.get(SyncService).sync(newestAtPaypal());
    expect(await now()).toMatchObject({ ...WISH, unpaid_change: null });
    callbacks.takeHeld();
  });

  it('needs no payment at PayPal in the last minute of a period, and takes effect with the next one', async () => {
    await subscribed('paypal');
    const end = new Date((await now()).period_end).getTime();
    await billing.pass(end - billing.clock.now().getTime() - MINUTE_MS);
    const { status, body } = await ask('change', WISH);
    expect(status).toBe(200);
    await pressButton(body.redirect_url, 'agree' as never);
    await billing.settle();
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: WISH,
      unpaid_change: null,
    });
    await billing.pass(24 * HOUR_MS);
    expect(await now()).toMatchObject({ ...WISH, pending_change: null });
  });

  it('takes no money after it has been dropped at PayPal, even if the customer approves it later', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    expect((await ask('drop')).body.redirect_url).toBeNull();
    expect(await now()).toMatchObject({ sku: 'api-15K-month', unpaid_change: null });
    await agreeAtPaypal(body.redirect_url);
    await billing.settle();
    expect(await paid()).toHaveLength(1);
    expect(await now()).toMatchObject({ sku: 'api-15K-month' });
  });

  it('is not billed from the next period on if it is dropped after the customer agreed to it at PayPal', async () => {
    await subscribed('paypal');
    const { body } = await ask('change', WISH);
    await agreeAtPaypal(body.redirect_url, 'abandon');
    await billing.settle();
    expect(await now()).toMatchObject({ pending_change: WISH, unpaid_change: WISH });
    const { body: dropped } = await ask('drop');
    await agreeAtPaypal(dropped.redirect_url);
    await billing.settle();
    expect(await now()).toMatchObject({
      sku: 'api-15K-month',
      pending_change: null,
      unpaid_change: null,
    });
  });
});
