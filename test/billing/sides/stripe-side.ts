import { CALLBACK_SECRET } from '../billing-under-test.js';
import { signedCallback } from '../signed-callback.js';
import type { CheckoutAction } from '../hosted-page.js';
import type { MoneyThere, Sided, TakenBack } from './processor-side.js';

/** Stripe as its customers and banks see it. Lists begin with the newest object. */
export class StripeSide {
  readonly name = 'stripe' as const;

  constructor(private readonly billing: Sided) {}

  get callbacks() {
    return this.simulator.callbacks;
  }

  calls(): number {
    return this.simulator.stripe.calls;
  }

  sign(raw: Buffer): Record<string, string> {
    return signedCallback(raw, CALLBACK_SECRET, this.billing.clock.now());
  }

  async setFunds(accountId: string, behaviour: 'works' | 'declines'): Promise<void> {
    const customer = this.customerOf(accountId);
    if (customer !== undefined) this.simulator.invoices.setCard(customer, behaviour);
  }

  async agree(pageUrl: string, _action?: CheckoutAction): Promise<void> {
    await fetch(`${pageUrl}/pay`, { method: 'POST' });
  }

  async paymentsOf(accountId: string): Promise<string[]> {
    return (await this.intentsOf(accountId)).map(({ id }) => id);
  }

  /** Refunds an amount in dollars, or everything that remains. @returns the refund's id. */
  refund(paymentId: string, dollars?: number): string {
    const amount = dollars === undefined ? {} : { amount: dollars * 100 };
    return this.simulator.payments.refund({ payment_intent: paymentId, ...amount }).id;
  }

  refunds(): TakenBack[] {
    return this.simulator.world.all('refund').map(({ id, payment_intent: paymentId, status }) => {
      return { id, paymentId: String(paymentId), stands: status === 'succeeded' };
    });
  }

  /** Lets the customer's bank return the money of a refund. */
  failRefund(refundId: string): void {
    this.simulator.payments.failRefund(refundId);
  }

  dispute(paymentId: string): string {
    return this.simulator.payments.dispute(paymentId).id;
  }

  disputes(): TakenBack[] {
    return this.simulator.world.all('dispute').map(({ id, payment_intent: paymentId, status }) => {
      return { id, paymentId: String(paymentId), stands: status !== 'won' };
    });
  }

  decideDispute(disputeId: string, decision: 'won' | 'lost'): void {
    this.simulator.payments.decideDispute(disputeId, decision);
  }

  newest(kind: 'subscription' | 'bill', count: number): string[] {
    const type = kind === 'bill' ? 'invoice' : kind;
    const all: { id: string }[] = this.simulator.world.all(type);
    return all.slice(0, count).map(({ id }) => id);
  }

  /** Returns the URLs of the pages on which the account's due bills can be paid. */
  async openBills(accountId: string): Promise<string[]> {
    return this.subscriptionsOf(accountId)
      .flatMap(({ id }) => this.simulator.invoices.openOf(id))
      .map(({ hosted_invoice_url: page }) => page as string);
  }

  async isEnding(accountId: string): Promise<boolean> {
    return this.subscriptionsOf(accountId).some((one) => one.cancel_at_period_end);
  }

  hasEndedLatest(): boolean {
    return this.simulator.world.all('subscription')[0].status === 'canceled';
  }

  async moneyOf(accountId: string): Promise<MoneyThere> {
    const intents = await this.intentsOf(accountId);
    const ids = new Set(intents.map(({ id }) => id));
    const refunds = this.simulator.world
      .all('refund')
      .filter(({ payment_intent: of, status }) => ids.has(String(of)) && status === 'succeeded');
    return { paid: sumOf(intents), refunded: sumOf(refunds) };
  }

  private get simulator() {
    return this.billing.simulator;
  }

  private async intentsOf(accountId: string) {
    const known = this.customerOf(accountId);
    return this.simulator.world
      .all('payment_intent')
      .filter(({ customer, status }) => customer === known && status === 'succeeded');
  }

  private customerOf(accountId: string): string | undefined {
    const all = this.simulator.world.all('customer');
    return all.find(({ metadata }) => metadata.accountId === accountId)?.id;
  }

  private subscriptionsOf(accountId: string) {
    const known = this.customerOf(accountId);
    return this.simulator.world.all('subscription').filter(({ customer }) => customer === known);
  }
}

const sumOf = (amounts: readonly { amount: number }[]) =>
  amounts.reduce((sum, { amount }) => sum + amount, 0);
