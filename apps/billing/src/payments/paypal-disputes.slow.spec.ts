import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { DAY_MS } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { PaypalRefusal } from '../../../simulators/src/payments/paypal/paypal-refusal.js';
import { PaypalSide } from '../../../../test/billing/sides/paypal-side.js';
import { PaymentProcessors } from '../processors/payment-processors.js';

let billing: BillingUnderTest;
let side: PaypalSide;
let accountId: string;
let payment: string;

beforeAll(async () => {
  billing = await BillingUnderTest.start();
  side = new PaypalSide(billing);
});
afterAll(() => billing.stop());
beforeEach(async () => {
  accountId = billing.newAccount();
  await billing.act(await billing.order(accountId, 15_000, 'paypal'), 'pay');
  [payment] = await side.paymentsOf(accountId);
});
afterEach(async () => {
  expect(await billing.violations()).toEqual([]);
  expect(billing.logLines.splice(0)).toEqual([]);
});

const usd = (value: string) => ({ currency_code: 'USD', value });
const taken = () =>
  billing.database.query(
    `select cause, state, amount_micros::text as micros from reversals where account_id = $1 order by id`,
    [accountId],
  );
const losses = () =>
  billing.database.query('select from losses where account_id = $1', [accountId]);
/** Decides a dispute against us. PayPal names the amount that went back. */
function lose(id: string, amount: string): void {
  side.decideDispute(id, 'lost');
  billing.simulator.paypal.world.get('dispute', id).dispute_outcome!.amount_refunded = usd(amount);
}

it.each(['before', 'after'])(
  'money taken by a lost dispute counts once, although PayPal also reports it as a refund %s the decision',
  async (order) => {
    const id = side.dispute(payment);
    await billing.settle();
    if (order === 'after') lose(id, '54.00');
    await billing.settle();
    side.refund(payment);
    await billing.settle();
    if (order === 'before') lose(id, '54.00');
    await billing.settle();
    expect(await taken()).toEqual([{ cause: 'dispute', state: 'final', micros: '54000000' }]);
    expect(await losses()).toEqual([]);
  },
);

it('money of a dispute that PayPal reports as a refund before it reports the dispute counts once', async () => {
  side.callbacks.faults.drop = true;
  const id = side.dispute(payment);
  side.callbacks.faults.drop = false;
  side.refund(payment);
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'requested', micros: '54000000' }]);
  lose(id, '54.00');
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'final', micros: '54000000' }]);
});

it('money of a dispute counts once even if PayPal cannot show the dispute when it reports the refund', async () => {
  side.callbacks.faults.drop = true;
  const id = side.dispute(payment);
  side.callbacks.faults.drop = false;
  side.refund(payment);
  const { world } = billing.simulator.paypal;
  const { get } = world;
  const busy = jest.spyOn(world, 'get').mockImplementation((kind, key) => {
    if (kind !== 'dispute') return get.call(world, kind, key) as never;
    throw new PaypalRefusal(429, 'RATE_LIMIT_REACHED', undefined, 'Too many requests.');
  });
  await billing.settle();
  busy.mockRestore();
  expect(await taken()).toEqual([]);
  await billing.retry();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'requested', micros: '54000000' }]);
  lose(id, '54.00');
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'final', micros: '54000000' }]);
});

it('a dispute that is settled for part of the amount takes only that part', async () => {
  const id = side.dispute(payment);
  await billing.settle();
  side.refund(payment, 20);
  lose(id, '20.00');
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'final', micros: '20000000' }]);
});

it('the rest of an unwanted payment is refunded after a dispute that was settled for part of the amount', async () => {
  accountId = billing.newAccount();
  const ordered = await billing.order(accountId, 15_000, 'paypal');
  await billing.deliver('deleted', accountId);
  await billing.act(ordered, 'pay');
  [payment] = await side.paymentsOf(accountId);
  const id = side.dispute(payment);
  await billing.settle();
  await billing.follow();
  side.refund(payment, 20);
  lose(id, '20.00');
  await billing.settle();
  await billing.follow();
  await billing.follow();
  expect(await taken()).toEqual([
    { cause: 'dispute', state: 'final', micros: '20000000' },
    { cause: 'refund', state: 'final', micros: '34000000' },
  ]);
});

it('an appeal against a dispute that was settled for part of the amount changes nothing', async () => {
  const id = side.dispute(payment);
  lose(id, '20.00');
  await billing.settle();
  const dispute = billing.simulator.paypal.world.get('dispute', id);
  dispute.status = 'OPEN';
  billing.simulator.paypal.world.emit('CUSTOMER.DISPUTE.UPDATED', 'dispute', dispute);
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'dispute', state: 'final', micros: '20000000' }]);
});

it('a lost amount that PayPal names only later replaces the whole disputed amount', async () => {
  const id = side.dispute(payment);
  side.decideDispute(id, 'lost');
  await billing.settle();
  lose(id, '20.00');
  await billing.settle();
  expect(await taken()).toEqual([
    { cause: 'dispute', state: 'undone', micros: '54000000' },
    { cause: 'dispute', state: 'final', micros: '20000000' },
  ]);
});

it.each(['won', 'lost'] as const)(
  'a refund that is made at PayPal during a dispute counts if the dispute is won weeks later: %s',
  async (decision) => {
    const id = side.dispute(payment);
    await billing.settle();
    side.refund(payment, 10);
    await billing.settle();
    await billing.pass(20 * DAY_MS);
    expect(await taken()).toMatchObject([{ state: 'requested' }]);
    side.decideDispute(id, decision);
    await billing.settle();
    await billing.pass(DAY_MS);
    const refund = { cause: 'refund', state: 'final', micros: '10000000' };
    expect(await taken()).toMatchObject(
      decision === 'won' ? [{ state: 'undone' }, refund] : [{ state: 'final' }],
    );
  },
);

it('a dispute that is decided against us without a refund takes nothing', async () => {
  const id = side.dispute(payment);
  await billing.settle();
  lose(id, '0.00');
  await billing.settle();
  expect(await taken()).toMatchObject([{ state: 'undone' }]);
});

it('a refund that is made at PayPal long after a lost dispute counts beside it', async () => {
  const id = side.dispute(payment);
  lose(id, '20.00');
  await billing.settle();
  await billing.pass(8 * DAY_MS);
  side.refund(payment, 10);
  await billing.settle();
  expect(await taken()).toEqual([
    { cause: 'dispute', state: 'final', micros: '20000000' },
    { cause: 'refund', state: 'final', micros: '10000000' },
  ]);
});

it('a refund of a plan counts even if PayPal has reported nothing about its payment', async () => {
  accountId = billing.newAccount();
  const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
  const { body: ordered } = await billing.call('POST', 'orders', { accountId, body });
  side.callbacks.faults.drop = true;
  await billing.act(ordered, 'pay');
  side.callbacks.faults.drop = false;
  const [paid] = await side.paymentsOf(accountId);
  side.refund(paid);
  await billing.settle();
  expect(await taken()).toEqual([{ cause: 'refund', state: 'final', micros: '27000000' }]);
});

it.each([
  ['PENDING', 'BUYER_COMPLAINT', 'succeeded'],
  ['PENDING', 'CHARGEBACK', 'succeeded'],
  ['PENDING', 'PENDING_REVIEW', 'pending'],
])('a payment that is %s because of %s counts as %s', async (status, reason, state) => {
  const capture = billing.simulator.paypal.world.get('capture', payment);
  Object.assign(capture, { status, status_details: { reason } });
  const paypal = billing.get(PaymentProcessors).get('paypal');
  expect(await paypal.fetch({ kind: 'payment', id: payment })).toMatchObject({ value: { state } });
});
