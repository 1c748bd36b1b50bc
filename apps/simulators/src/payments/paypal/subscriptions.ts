import { DAY_MS, addMonths } from '#libs/platform';
import { type Capture, type Money, type Subscription, toCents, toMoney } from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { Plans } from './plans.js';
import type { PaypalWorld } from './paypal-world.js';

/** The behaviour of the payer's account when a subscription charges it. */
export type PayerFunds = 'works' | 'declines';

interface SubscriptionPatch {
  op: string;
  path: string;
  value: string | Money;
}

interface PriceOverride {
  price: Money;
  /** The time from which the price applies to renewals. */
  from: Date;
}

const PRICE_PATH = '/plan/billing_cycles/@sequence==1/pricing_scheme/fixed_price';
/** A new price does not apply to cycles within the next ten days. */
const PRICE_NOTICE_MS = 10 * DAY_MS;
/** The pause before PayPal retries a failed payment. */
const RETRY_MS = 5 * DAY_MS;
/** The number of attempts to take the payment for a period. Only the failure of the last one counts. */
const ATTEMPTS = 3;

/** Simulates subscriptions (v1): the customer agrees on a page, and the clock then triggers the payments. */
export class Subscriptions {
  /** The time before the end of a period at which the next period is billed: PayPal bills at its own time of day. */
  earlyMs = 0;
  private readonly funds = new Map<string, PayerFunds>();
  private readonly overrides = new Map<string, PriceOverride[]>();
  private readonly salesOf = new Map<string, Capture[]>();

  constructor(
    private readonly world: PaypalWorld,
    private readonly plans: Plans,
  ) {}

  /** `POST /v1/billing/subscriptions`. */
  create({ plan_id: planId, quantity, custom_id, application_context }: Subscription) {
    const { world } = this;
    const [{ pricing_scheme: price }] = world.get('plan', planId).billing_cycles;
    const id = `I-${world.newId().slice(0, 12)}`;
    const path = `/v1/billing/subscriptions/${id}`;
    return world.put('subscription', id, {
      id,
      status: 'APPROVAL_PENDING',
      status_update_time: world.now,
      plan_id: planId,
      plan_overridden: false,
      quantity: quantity ?? '1',
      custom_id,
      start_time: this.wholeSecond(),
      create_time: world.now,
      application_context,
      billing_info: {
        outstanding_balance: toMoney(0, price.fixed_price.currency_code),
        failed_payments_count: 0,
        cycle_executions: [{ tenure_type: 'REGULAR', sequence: 1, cycles_completed: 0 }],
      },
      links: [world.link('approve', `/subscribe/${id}`), world.link('self', path)],
    });
  }

  /** Approves a subscription, as the customer does on the page, and charges the first period at once. */
  approve(id: string): Subscription {
    const subscription = this.world.get('subscription', id);
    if (subscription.status !== 'APPROVAL_PENDING') return subscription;
    this.setStatus(subscription, 'ACTIVE');
    subscription.start_time = this.wholeSecond();
    this.funds.set(id, 'works');
    this.charge(subscription);
    this.tell(subscription, 'ACTIVATED');
    this.awaitNext(subscription, new Date(subscription.start_time), 1);
    return subscription;
  }

  /** `PATCH /v1/billing/subscriptions/{id}`: changes the merchant's reference and the price. */
  patch(id: string, patches: readonly SubscriptionPatch[]): void {
    const subscription = this.withStatus(id, ['ACTIVE', 'SUSPENDED']);
    const wrong = patches.find((patch) => !isReference(patch) && !isPrice(patch));
    if (wrong) {
      throw PaypalRefusal.invalid(
        'INVALID_PATCH_PATH',
        `${wrong.path} cannot be patched in this way.`,
      );
    }
    for (const patch of patches) {
      if (isReference(patch)) subscription.custom_id = patch.value;
      if (isPrice(patch)) this.setPrice(subscription, patch.value);
    }
    this.tell(subscription, 'UPDATED');
  }

  private setPrice(subscription: Subscription, price: Money): void {
    const from = new Date(this.world.clock.now().getTime() + PRICE_NOTICE_MS);
    const { id } = subscription;
    this.overrides.set(id, [...(this.overrides.get(id) ?? []), { price, from }]);
    subscription.plan_overridden = true;
  }

  /** Returns the price of the latest patch that was early enough; undefined if there is none. */
  private overridden({ id }: Subscription): Money | undefined {
    const now = this.world.clock.now();
    return this.overrides.get(id)?.findLast(({ from }) => from <= now)?.price;
  }

  /** Records the customer's consent to another plan, which is billed from the next period on. */
  takeRevision(id: string, revision: { planId: string; quantity: string }): void {
    const subscription = this.withStatus(id, ['ACTIVE', 'SUSPENDED']);
    subscription.plan_id = revision.planId;
    subscription.quantity = revision.quantity;
    subscription.plan_overridden = false;
    this.overrides.delete(id);
    this.tell(subscription, 'UPDATED');
  }

  suspend(id: string): void {
    this.setStatus(this.withStatus(id, ['ACTIVE']), 'SUSPENDED');
    this.tell(this.world.get('subscription', id), 'SUSPENDED');
  }

  activate(id: string): void {
    this.setStatus(this.withStatus(id, ['SUSPENDED']), 'ACTIVE');
    this.tell(this.world.get('subscription', id), 'ACTIVATED');
  }

  cancel(id: string): void {
    this.setStatus(this.withStatus(id, ['ACTIVE', 'SUSPENDED']), 'CANCELLED');
    this.tell(this.world.get('subscription', id), 'CANCELLED');
  }

  /** Returns a subscription in one of the given statuses. @throws PaypalRefusal if there is none. */
  withStatus(id: string, statuses: readonly Subscription['status'][]): Subscription {
    const subscription = this.world.get('subscription', id);
    if (statuses.includes(subscription.status)) return subscription;
    const message = `Invalid subscription status: ${subscription.status}.`;
    throw PaypalRefusal.unprocessable('SUBSCRIPTION_STATUS_INVALID', message);
  }

  /** Sets the funds of every subscription, because there is only one payer. */
  setFunds(funds: PayerFunds): void {
    for (const { id } of this.world.all('subscription')) this.funds.set(id, funds);
  }

  /** `GET /v1/billing/subscriptions/{id}/transactions`. */
  transactions(id: string, from: number, to: number): object {
    const sales = this.salesOf.get(id) ?? [];
    const transactions = sales
      .filter(({ create_time: time }) => Date.parse(time) >= from && Date.parse(time) <= to)
      .map(({ id: saleId, status, amount, create_time: time }) => {
        return { id: saleId, status, amount_with_breakdown: { gross_amount: amount }, time };
      });
    return { transactions, total_items: transactions.length, total_pages: 1 };
  }

  isSale(captureId: string): boolean {
    return [...this.salesOf.values()].some((sales) => sales.some(({ id }) => id === captureId));
  }

  /** Returns the ids of a subscription's charges, oldest first. */
  salesFor(id: string): string[] {
    return (this.salesOf.get(id) ?? []).map((sale) => sale.id);
  }

  /** `GET /v1/payments/sale/{id}`: a payment in PayPal's older format. */
  sale(id: string): object {
    const capture = this.world.get('capture', id);
    const owner = [...this.salesOf].find(([, sales]) => sales.includes(capture));
    if (!owner) throw PaypalRefusal.missing();
    return saleOf(capture, owner[0]);
  }

  /** `GET /v1/billing/subscriptions/{id}`. */
  get(id: string, query: URLSearchParams): Subscription {
    const found = structuredClone(this.world.get('subscription', id));
    if (query.get('fields') !== 'last_failed_payment') {
      delete found.billing_info.last_failed_payment;
    }
    return found;
  }

  /** Charges for a period and, if the plan says so, for what is outstanding. */
  private charge(subscription: Subscription, attempt = 1): void {
    const { billing_info: billing, id } = subscription;
    const { auto_bill_outstanding: billsAll } = this.plans.preferencesOf(subscription);
    const price = this.plans.amountOf(subscription, this.overridden(subscription));
    const outstanding = billsAll ? toCents(billing.outstanding_balance) : 0;
    const amount = toMoney(toCents(price) + outstanding, price.currency_code);
    if (this.funds.get(id) === 'declines') {
      this.fail(subscription, amount, attempt);
      return;
    }
    billing.failed_payments_count = 0;
    if (billsAll) billing.outstanding_balance = toMoney(0, amount.currency_code);
    billing.last_payment = { amount, time: this.world.now };
    billing.cycle_executions[0].cycles_completed += 1;
    const capture = this.capture(id, amount);
    this.world.emit('PAYMENT.SALE.COMPLETED', 'sale', saleOf(capture, id));
  }

  private capture(subscriptionId: string, amount: Money): Capture {
    const { world } = this;
    const id = world.newId();
    const capture = world.put('capture', id, {
      id,
      status: 'COMPLETED',
      amount,
      final_capture: true,
      create_time: world.now,
      update_time: world.now,
      supplementary_data: { related_ids: {} },
      links: [world.link('self', `/v2/payments/captures/${id}`)],
    });
    this.salesOf.set(subscriptionId, [...(this.salesOf.get(subscriptionId) ?? []), capture]);
    return capture;
  }

  private fail(subscription: Subscription, amount: Money, attempt: number): void {
    const { billing_info: billing } = subscription;
    const failed = { amount, time: this.world.now };
    billing.last_failed_payment = failed;
    if (attempt < ATTEMPTS) {
      this.tell(subscription, 'PAYMENT.FAILED');
      const { clock } = this.world;
      clock.at(new Date(clock.now().getTime() + RETRY_MS), () => {
        const isOpen = billing.last_failed_payment === failed;
        if (subscription.status === 'ACTIVE' && isOpen) this.charge(subscription, attempt + 1);
      });
      return;
    }
    billing.failed_payments_count += 1;
    billing.outstanding_balance = amount;
    this.tell(subscription, 'PAYMENT.FAILED');
    const { payment_failure_threshold: failuresMax } = this.plans.preferencesOf(subscription);
    if (billing.failed_payments_count < failuresMax) return;
    this.setStatus(subscription, 'SUSPENDED');
    this.tell(subscription, 'SUSPENDED');
  }

  /**
   * Schedules the next bill. Periods are counted from an anchor; a new interval starts with the first period that is
   * billed at that interval.
   */
  private awaitNext(subscription: Subscription, anchor: Date, cycles: number): void {
    const months = this.plans.monthsOf(subscription);
    const next = addMonths(anchor, cycles * months);
    const billedAt = new Date(next.getTime() - this.earlyMs);
    subscription.billing_info.next_billing_time = billedAt.toISOString();
    this.world.clock.at(billedAt, () => {
      if (subscription.status === 'CANCELLED') return;
      if (subscription.status === 'ACTIVE') this.charge(subscription);
      const isSame = this.plans.monthsOf(subscription) === months;
      this.awaitNext(subscription, isSame ? anchor : next, isSame ? cycles + 1 : 1);
    });
  }

  private setStatus(subscription: Subscription, status: Subscription['status']): void {
    subscription.status = status;
    subscription.status_update_time = this.world.now;
  }

  private tell(subscription: Subscription, what: string): void {
    this.world.emit(`BILLING.SUBSCRIPTION.${what}`, 'subscription', subscription);
  }

  private wholeSecond(): string {
    return this.world.now.replace(/\.\d+Z$/, 'Z');
  }
}

const isReference = (patch: SubscriptionPatch): patch is SubscriptionPatch & { value: string } =>
  patch.path === '/custom_id' && /^[\x20-\x7e]{1,127}$/.test(String(patch.value));

const isPrice = (patch: SubscriptionPatch): patch is SubscriptionPatch & { value: Money } =>
  patch.path === PRICE_PATH && typeof patch.value === 'object';

function saleOf({ id, status, amount, create_time }: Capture, subscriptionId: string): object {
  return {
    id,
    state: status.toLowerCase(),
    amount: {
      total: toMoney(toCents(amount), amount.currency_code).value,
      currency: amount.currency_code,
    },
    payment_mode: 'INSTANT_TRANSFER',
    billing_agreement_id: subscriptionId,
    create_time,
    update_time: create_time,
  };
}
