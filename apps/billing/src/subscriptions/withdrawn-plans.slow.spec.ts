import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { planOfSku, rightsOf } from '#libs/contracts';
import { addMonths, newId } from '#libs/platform';
import { BillingUnderTest } from '../../../../test/billing/billing-under-test.js';
import { BOTH, type ProcessorSide, sideOf } from '../../../../test/billing/sides/side-of.js';

const SKU = 'api-15K-month';
const PLAN = planOfSku(SKU)!;

describe.each(BOTH)('a plan that is no longer offered, at %s', (processor) => {
  let billing: BillingUnderTest;
  let side: ProcessorSide;
  let accountId: string;
  let start: Date;

  beforeAll(async () => {
    billing = await BillingUnderTest.start();
    side = sideOf(billing, processor);
  });
  afterAll(() => billing.stop());
  beforeEach(() => {
    start = billing.clock.now();
    accountId = billing.newAccount();
  });
  afterEach(() => {
    PLAN.isOffered = true;
    expect(billing.logLines.splice(0)).toEqual([]);
  });

  const order = (sku: string) => {
    const body = { product: 'subscription', sku, processor };
    return billing.call('POST', 'orders', { accountId, body });
  };
  const listed = async () => {
    const { body } = await billing.call('GET', 'subscriptions', { accountId });
    return body.subscriptions;
  };
  async function subscribe(sku: string): Promise<string> {
    await billing.act((await order(sku)).body, 'pay');
    return (await listed())[0].id;
  }
  async function ask(id: string, action: string, body: object = {}) {
    const answer = await billing.call('POST', `subscriptions/${id}/${action}`, { accountId, body });
    if (answer.body.redirect_url) await side.agree(answer.body.redirect_url);
    await billing.settle();
    return answer;
  }
  const renew = (times: number) =>
    billing.pass(addMonths(start, times).getTime() - billing.clock.now().getTime());

  it('can be neither ordered nor changed to', async () => {
    const id = await subscribe('api-5K-month');
    PLAN.isOffered = false;
    for (const action of ['preview', 'change']) {
      const refused = { status: 400, body: { errors: [{ field: 'sku' }] } };
      expect(await ask(id, action, { sku: SKU })).toMatchObject(refused);
    }
    accountId = billing.newAccount();
    expect((await order(SKU)).status).toBe(400);
  });

  it('is renewed, named in its e-mails and invoices, cancelled and resumed, and left for another plan', async () => {
    const id = await subscribe(SKU);
    PLAN.isOffered = false;
    await renew(1);
    const events = await billing.events(accountId);
    const paidThrough = addMonths(start, 2).toISOString();
    expect(events.at(-1)?.data).toMatchObject({ sku: SKU, paidThrough, ...rightsOf(PLAN, 1) });
    const mails = JSON.stringify(await billing.deliverMail(accountId));
    expect(mails).toContain('API plan 15K');
    for (const action of ['cancel', 'undo']) expect((await ask(id, action)).status).toBe(200);
    expect((await ask(id, 'change', { sku: 'api-5K-month' })).status).toBe(200);
    await renew(2);
    expect(await listed()).toMatchObject([{ id, sku: 'api-5K-month', amount_micros: '10000000' }]);
  });

  it('ends with the refund of its period, after which another plan can be ordered', async () => {
    await subscribe(SKU);
    PLAN.isOffered = false;
    const { body } = await billing.call('GET', 'operator/payments', { accountId, caller: 'cli' });
    const { paymentId } = body.payments[0];
    const wish = { refundId: newId(), paymentId, scope: 'whole', reason: 'asked' };
    const call = { accountId, caller: 'cli', body: wish } as const;
    expect((await billing.call('POST', 'operator/refunds', call)).status).toBe(200);
    await billing.settle();
    await billing.follow();
    expect(await listed()).toMatchObject([{ sku: SKU, state: 'cancelled', is_current: false }]);
    expect((await order('api-5K-month')).status).toBe(201);
  });
});
