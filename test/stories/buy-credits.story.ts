import { beforeAll, expect, it } from '@jest/globals';
import type { ChosenProcessor, InvoicesAnswer, OrderAnswer } from '#libs/contracts';
import { waitFor } from '#test/environment';
import { pressButton } from '../billing/hosted-page.js';
import type { Callback } from '../../apps/simulators/src/payments/callback-sender.js';
import type { PaymentsSimulator } from '../../apps/simulators/src/payments/payments-simulator.js';
import { Customer } from './customer.js';
import type { Deployment } from './deployment.js';

const TRIAL = 500;
const BOUGHT = 15_000;
const REPEATS = 10;

/**
 * Everything from the sign-up to a key with the purchased credits, using only the dashboard's origin and the
 * processor's own page. Each step builds on the previous ones.
 */
export function buyCredits(
  deployed: () => Deployment & { payments: PaymentsSimulator },
  processor: ChosenProcessor = 'stripe',
): void {
  let deployment: ReturnType<typeof deployed>;
  let customer: Customer;
  let order: OrderAnswer;
  let balance = TRIAL;
  let names = 0;

  beforeAll(async () => {
    deployment = deployed();
    customer = new Customer(deployment, `grace-${processor}@story.example`, 'Grace');
    await customer.join();
    await customer.waitForCredits(TRIAL);
  });

  async function buy(key: string, credits = BOUGHT) {
    const wish = { product: 'package', credits, processor };
    return customer.call('POST', '/api/orders', wish, { 'idempotency-key': key });
  }
  async function stateOf({ id }: OrderAnswer): Promise<string> {
    return (await customer.call('GET', `/api/orders/${id}`)).body.state;
  }
  const callbackUrl = () => `${deployment.dashboardUrl}/callbacks/${processor}`;
  /** Buys credits. @returns the order, and its callbacks, which are held back. */
  async function buyUnheard(key: string) {
    const { payments } = deployment;
    const { callbacks } = processor === 'paypal' ? payments.paypal : payments;
    const order = (await buy(key)).body as OrderAnswer;
    callbacks.hold();
    await pressButton(order.redirect_url as string, 'pay');
    return { order, held: callbacks.takeHeld(), secret: callbacks.target!.secret };
  }
  async function post(callback: Callback, secret: string): Promise<number> {
    const headers = { 'content-type': 'application/json', ...callback.headers(secret) };
    const answer = await fetch(callbackUrl(), { method: 'POST', headers, body: callback.body });
    return answer.status;
  }
  /** As real processors do, repeats a callback that a busy machine answered with 503. No other refusal is expected. */
  const sendUntilTaken = (callback: Callback, secret: string) =>
    waitFor('a callback to be accepted', async () => {
      const status = await post(callback, secret);
      if (status !== 503) expect(status).toBe(200);
      return status === 200;
    });

  it('an order returns the catalogue price and the processor’s page, and a repeat returns the same order', async () => {
    const first = await buy('one');
    expect(first.status).toBe(201);
    order = first.body;
    expect(order).toMatchObject({
      state: 'redirected',
      amount_micros: '54000000',
      currency: 'USD',
    });
    const again = await buy('one');
    expect(again.body.id).toBe(order.id);
    const { body } = await customer.call('GET', '/api/orders');
    expect(body.orders.map(({ id }: OrderAnswer) => id)).toEqual([order.id]);
  });

  it('S48: a return without payment grants nothing, and another account’s order is not found', async () => {
    const returned = await customer.call('POST', `/api/orders/${order.id}/return`, {});
    expect(returned.body.state).toBe('redirected');
    const stranger = new Customer(deployment, `mallory-${processor}@story.example`, 'Mallory');
    await stranger.join();
    for (const [method, path] of [
      ['GET', `/api/orders/${order.id}`],
      ['POST', `/api/orders/${order.id}/return`],
    ]) {
      const { status } = await stranger.call(method, path, method === 'POST' ? {} : undefined);
      expect([path, status]).toEqual([path, 404]);
    }
    expect(await customer.spendable()).toBe(balance);
  });

  it('a payment on the processor’s page grants credits, and the key works with the new limit', async () => {
    const limitBefore = await customer.liveLimit();
    const back = await pressButton(order.redirect_url as string, 'pay');
    expect(back).toContain(`${deployment.dashboardUrl}/billing/return?order=${order.id}`);
    await waitFor('the order to be paid', async () => (await stateOf(order)) === 'paid');
    balance += BOUGHT;
    await customer.waitForCredits(balance);
    await waitFor('the new limit', async () => (await customer.liveLimit()) > limitBefore);
    expect((await customer.lookUp(`bought-${++names}.com`)).status).toBe(200);
    balance -= 1;
    await customer.waitForCredits(balance);
  });

  it('the invoice of the payment is printed, e-mailed, and available to nobody else', async () => {
    const invoice = await waitFor('the invoice', async () => {
      const { body } = await customer.call('GET', '/api/invoices');
      return (body as InvoicesAnswer).invoices.find(({ revision }) => revision === 1);
    });
    expect(invoice).toMatchObject({ kind: 'invoice', total_micros: '54000000', currency: 'USD' });
    const path = `/api/invoices/${invoice.id}/pdf`;
    const pdf = await customer.call('GET', path);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(pdf.body.slice(0, 5)).toBe('%PDF-');
    const subject = `Receipt: 54.00 USD, invoice ${invoice.number}`;
    await customer.mailed(subject);
    const stranger = new Customer(deployment, `trudy-${processor}@story.example`, 'Trudy');
    await stranger.join();
    expect((await stranger.call('GET', path)).status).toBe(404);
  });

  it('S44: a callback repeated ten times grants once', async () => {
    const { order: second, held, secret } = await buyUnheard('two');
    expect(held.length).toBeGreaterThan(0);
    const copies = Array.from({ length: REPEATS }, () => held).flat();
    await Promise.all(copies.map((callback) => sendUntilTaken(callback, secret)));
    balance += BOUGHT;
    await customer.waitForCredits(balance);
    for (const callback of held) await sendUntilTaken(callback, secret);
    await customer.call('POST', `/api/orders/${second.id}/return`, {});
    await customer.waitForCredits(balance);
    const { body } = await customer.call('GET', '/api/balance');
    const packages = body.grants.filter(({ granted }: { granted: number }) => granted === BOUGHT);
    expect(packages).toHaveLength(2);
  });

  it('S45: a callback signed with another secret grants nothing', async () => {
    const { order: third, held, secret } = await buyUnheard('three');
    for (const callback of held) {
      expect(await post(callback, 'a secret of someone else')).toBe(400);
    }
    expect(await stateOf(third)).toBe('redirected');
    expect(await customer.spendable()).toBe(balance);
    for (const callback of held) await sendUntilTaken(callback, secret);
    balance += BOUGHT;
    await customer.waitForCredits(balance);
  });

  it('a 429 links to the page that sells plans and the rate-limit add-on', async () => {
    const poor = new Customer(deployment, `eve-${processor}@story.example`, 'Eve');
    await poor.join();
    const refused = await waitFor('a refusal', async () => {
      const answer = await poor.lookUp(`bought-${++names}.com`);
      return answer.status === 429 ? answer : undefined;
    });
    const link = refused.headers.get('link') as string;
    expect(link).toContain(`<${deployment.dashboardUrl}/plans>; rel="payment"`);
  });
}
