import {
  type Capture,
  toCents,
} from '../../../apps/simulators/src/payments/paypal/paypal-objects.js';
import { PAYPAL_WEBHOOK_ID } from '../billing-under-test.js';
import { type CheckoutAction, agreeAtPaypal, pressButton } from '../hosted-page.js';
import type { MoneyThere, Sided, TakenBack } from './processor-side.js';

const TAKEN = ['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED'];

/** PayPal as its customers and banks see it, with the same methods as `StripeSide`. */
export class PaypalSide {
  readonly name = 'paypal' as const;

  constructor(private readonly billing: Sided) {}

  get callbacks() {
    return this.paypal.callbacks;
  }

  calls(): number {
    return this.paypal.api.calls;
  }

  sign(raw: Buffer): Record<string, string> {
    return this.paypal.identity.headersFor(raw, PAYPAL_WEBHOOK_ID);
  }

  /** Sets whether the simulator's only payer, who pays for every account, has funds. */
  async setFunds(_: string, behaviour: 'works' | 'declines'): Promise<void> {
    this.paypal.subscriptions.setFunds(behaviour);
  }

  async agree(pageUrl: string, action: CheckoutAction = 'pay'): Promise<void> {
    if (pageUrl.includes('/checkoutnow/')) await pressButton(pageUrl, action);
    else await agreeAtPaypal(pageUrl, action);
  }

  async paymentsOf(accountId: string): Promise<string[]> {
    return (await this.capturesOf(accountId)).map(({ id }) => id).toReversed();
  }

  refund(paymentId: string, dollars?: number): string {
    const amount = dollars && { currency_code: 'USD', value: dollars.toFixed(2) };
    return this.paypal.captures.refund(paymentId, amount ? { amount } : {}).id;
  }

  refunds(): TakenBack[] {
    const all = this.paypal.world.all('refund').map(({ id, links, status }) => {
      const of =
        links
          .find(({ rel }) => rel === 'up')
          ?.href.split('/')
          .at(-1) ?? '';
      return { id, paymentId: of, stands: status === 'COMPLETED' };
    });
    return all.toReversed();
  }

  failRefund(refundId: string): void {
    this.paypal.captures.failRefund(refundId);
  }

  dispute(paymentId: string): string {
    return this.paypal.captures.dispute(paymentId).dispute_id;
  }

  disputes(): TakenBack[] {
    const all = this.paypal.world.all('dispute').map((dispute) => {
      const [{ seller_transaction_id: paymentId }] = dispute.disputed_transactions;
      const isWon = dispute.dispute_outcome?.outcome_code === 'RESOLVED_SELLER_FAVOUR';
      return { id: dispute.dispute_id, paymentId, stands: !isWon };
    });
    return all.toReversed();
  }

  decideDispute(disputeId: string, decision: 'won' | 'lost'): void {
    this.paypal.captures.decideDispute(disputeId, decision);
  }

  newest(kind: 'subscription' | 'bill', count: number): string[] {
    const type = kind === 'bill' ? 'capture' : kind;
    const all: { id: string }[] = this.paypal.world.all(type);
    return all
      .slice(-count)
      .map(({ id }) => id)
      .toReversed();
  }

  /** Returns none: PayPal retries every five days and has no page for unpaid bills. */
  async openBills(): Promise<string[]> {
    return [];
  }

  async isEnding(accountId: string): Promise<boolean> {
    return (await this.ownOf(accountId)).own.some(({ status }) => status === 'SUSPENDED');
  }

  hasEndedLatest(): boolean {
    return this.paypal.world.all('subscription').at(-1)?.status === 'CANCELLED';
  }

  async moneyOf(accountId: string): Promise<MoneyThere> {
    const captures = await this.capturesOf(accountId);
    const ids = new Set(captures.map(({ id }) => id));
    const standing = this.refunds().filter(({ paymentId, stands }) => stands && ids.has(paymentId));
    const refunds = standing.map(({ id }) => this.paypal.world.get('refund', id));
    return { paid: sumOf(captures), refunded: sumOf(refunds) };
  }

  private async ownOf(accountId: string) {
    const orders = new Set(await this.billing.ordersOf(accountId));
    const own = this.paypal.world
      .all('subscription')
      .filter(({ custom_id: mark = '' }) => orders.has(mark.split(',')[0]));
    return { orders, own };
  }

  private get paypal() {
    return this.billing.simulator.paypal;
  }

  /** Returns the captures that took money for the account's orders, subscriptions and their changes, oldest first. */
  private async capturesOf(accountId: string): Promise<Capture[]> {
    const { subscriptions, world } = this.paypal;
    const { orders, own } = await this.ownOf(accountId);
    const sales = new Set(own.flatMap(({ id }) => subscriptions.salesFor(id)));
    const plans = new Set(own.map(({ id }) => id));
    const isOwn = ({ id, custom_id: reference = '' }: Capture) => {
      const [first, second] = reference.split(',');
      return sales.has(id) || orders.has(first) || (first === 'change' && plans.has(second));
    };
    return world
      .all('capture')
      .filter((capture) => TAKEN.includes(capture.status) && isOwn(capture));
  }
}

const sumOf = (amounts: readonly { amount: Parameters<typeof toCents>[0] }[]) =>
  amounts.reduce((sum, { amount }) => sum + toCents(amount), 0);
