import type { OrderAnswer, PaymentConfirmed, SubscriptionChanged } from '#libs/contracts';
import { addMonths } from '#libs/platform';
import type { BillingUnderTest } from './billing-under-test.js';
import { agreeAtPaypal } from './hosted-page.js';

/** A monthly 15K API plan of a new account, bought now at PayPal. Only callbacks inform billing about the purchase. */
export class PaypalPlan {
  readonly start: Date;
  readonly end: Date;
  bought: OrderAnswer;
  private id: string;
  private seen = 0;

  private constructor(
    private readonly billing: BillingUnderTest,
    readonly accountId: string,
  ) {
    this.start = billing.clock.now();
    this.end = addMonths(this.start, 1);
  }

  static async buy(billing: BillingUnderTest): Promise<PaypalPlan> {
    const plan = new PaypalPlan(billing, billing.newAccount());
    const { accountId } = plan;
    const body = { product: 'subscription', sku: 'api-15K-month', processor: 'paypal' };
    plan.bought = (await billing.call('POST', 'orders', { accountId, body })).body;
    await billing.act(plan.bought, 'pay');
    const { body: listed } = await billing.call('GET', 'subscriptions', { accountId });
    plan.id = listed.subscriptions[0].id;
    return plan;
  }

  async said(): Promise<{ payments: PaymentConfirmed[]; states: SubscriptionChanged[] }> {
    const events = await this.billing.events(this.accountId);
    const fresh = events.slice(this.seen);
    this.seen = events.length;
    const of = (type: string) =>
      fresh.filter((event) => event.type === type).map(({ data }) => data);
    return {
      payments: of('billing.payment-confirmed') as unknown as PaymentConfirmed[],
      states: of('billing.subscription-changed') as unknown as SubscriptionChanged[],
    };
  }

  atPaypal() {
    return this.billing.simulator.paypal.world.all('subscription').at(-1)!;
  }

  async passTo(time: Date): Promise<void> {
    await this.billing.pass(time.getTime() - this.billing.clock.now().getTime());
  }

  async row() {
    const { accountId } = this;
    return (await this.billing.call('GET', `subscriptions/${this.id}`, { accountId })).body;
  }

  async ask(action: string, body: object = {}) {
    const { accountId } = this;
    const path = `subscriptions/${this.id}/${action}`;
    const answer = await this.billing.call('POST', path, { accountId, body });
    await this.billing.settle();
    return answer;
  }

  async agree(url: string): Promise<void> {
    await agreeAtPaypal(url);
    await this.billing.settle();
  }
}
