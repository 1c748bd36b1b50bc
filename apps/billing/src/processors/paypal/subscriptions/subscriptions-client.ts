import type { Patch } from '../paypal-client.js';
import type { PaypalConnection } from '../paypal-connection.js';
import type { PaypalLink, PaypalMoney } from '../paypal-objects.js';

export interface PaypalPlan {
  id?: string;
  description?: string;
  payment_preferences?: { auto_bill_outstanding?: boolean; payment_failure_threshold?: number };
  billing_cycles?: {
    pricing_scheme?: { fixed_price?: PaypalMoney };
    frequency?: { interval_unit?: string; interval_count?: number };
  }[];
}

export interface PaypalSubscription {
  id?: string;
  status?: string;
  status_update_time?: string;
  plan_id?: string;
  /** Whether the subscription's price differs from the price of its plan. */
  plan_overridden?: boolean;
  quantity?: string;
  custom_id?: string;
  start_time?: string;
  billing_info?: {
    failed_payments_count?: number;
    next_billing_time?: string;
    last_payment?: { amount?: PaypalMoney; time?: string };
    /** The latest attempt that failed, even if a later one succeeded. */
    last_failed_payment?: { time?: string };
  };
  links?: PaypalLink[];
}

/** A payment in PayPal's list of a subscription's payments. */
export interface PaypalTransaction {
  id?: string;
  status?: string;
  time?: string;
  amount_with_breakdown?: { gross_amount?: PaypalMoney };
}

/** A payment of a subscription, in the older format used by events. */
export interface PaypalSale {
  id?: string;
  state?: string;
  amount?: { total?: string; currency?: string };
  billing_agreement_id?: string;
  create_time?: string;
}

interface PageContext {
  shipping_preference: 'NO_SHIPPING';
  payment_method: { payee_preferred: 'IMMEDIATE_PAYMENT_REQUIRED' };
  return_url: string;
  cancel_url: string;
}

export interface SubscriptionRequest {
  plan_id: string;
  quantity: string;
  custom_id: string;
  application_context: PageContext & { user_action: 'SUBSCRIBE_NOW' };
}

export interface RevisionRequest {
  plan_id: string;
  quantity: string;
  application_context: PageContext;
}

export interface PlanRequest {
  product_id: string;
  name: string;
  description: string;
  status: 'ACTIVE';
  quantity_supported: true;
  billing_cycles: [
    {
      frequency: { interval_unit: 'MONTH' | 'YEAR'; interval_count: 1 };
      tenure_type: 'REGULAR';
      sequence: 1;
      /** Unlimited. */
      total_cycles: 0;
      pricing_scheme: { fixed_price: PaypalMoney };
    },
  ];
  payment_preferences: { auto_bill_outstanding: boolean; payment_failure_threshold: number };
}

const PLANS_PAGE = 20;

/** The part of PayPal's Subscriptions API (v1) that we use. */
export class SubscriptionsClient {
  constructor(private readonly connection: PaypalConnection) {}

  getProduct(id: string): Promise<object> {
    return this.connection.call('GET', `/v1/catalogs/products/${id}`);
  }

  createProduct(body: object, key: string): Promise<object> {
    return this.connection.call('POST', '/v1/catalogs/products', { body, key });
  }

  /** Lists a page of plans. Pages are numbered from 1; a page that is not full is the last. */
  async listPlans(
    productId: string,
    page: number,
  ): Promise<{ plans: PaypalPlan[]; isLast: boolean }> {
    const query = new URLSearchParams({
      product_id: productId,
      page: String(page),
      page_size: String(PLANS_PAGE),
    });
    const { plans = [] } = await this.connection.call<{ plans?: PaypalPlan[] }>(
      'GET',
      `/v1/billing/plans?${query}`,
    );
    return { plans, isLast: plans.length < PLANS_PAGE };
  }

  getPlan(id: string): Promise<PaypalPlan> {
    return this.connection.call('GET', `/v1/billing/plans/${encodeURIComponent(id)}`);
  }

  createPlan(body: PlanRequest, key: string): Promise<PaypalPlan> {
    return this.connection.call('POST', '/v1/billing/plans', { body, key });
  }

  async patchPlan(id: string, body: readonly Patch[]): Promise<void> {
    const path = `/v1/billing/plans/${encodeURIComponent(id)}`;
    await this.connection.call('PATCH', path, { body });
  }

  create(body: SubscriptionRequest, key: string): Promise<PaypalSubscription> {
    return this.connection.call('POST', '/v1/billing/subscriptions', { body, key });
  }

  get(id: string): Promise<PaypalSubscription> {
    return this.connection.call('GET', `${pathOf(id)}?fields=last_failed_payment`);
  }

  async patch(id: string, body: readonly Patch[]): Promise<void> {
    await this.connection.call('PATCH', pathOf(id), { body });
  }

  /**
   * Switches to another plan from the next period on, once the customer has approved the change on the page linked as
   * `approve`.
   */
  revise(id: string, body: RevisionRequest): Promise<{ links?: PaypalLink[] }> {
    return this.connection.call('POST', `${pathOf(id)}/revise`, { body });
  }

  async suspend(id: string, reason: string): Promise<void> {
    await this.connection.call('POST', `${pathOf(id)}/suspend`, { body: { reason } });
  }

  async activate(id: string, reason: string): Promise<void> {
    await this.connection.call('POST', `${pathOf(id)}/activate`, { body: { reason } });
  }

  /** Cancels the subscription permanently. */
  async cancel(id: string, reason: string): Promise<void> {
    await this.connection.call('POST', `${pathOf(id)}/cancel`, { body: { reason } });
  }

  async listTransactions(id: string, from: Date, to: Date): Promise<PaypalTransaction[]> {
    const query = new URLSearchParams({
      start_time: from.toISOString(),
      end_time: to.toISOString(),
    });
    const answer = await this.connection.call<{ transactions?: PaypalTransaction[] }>(
      'GET',
      `${pathOf(id)}/transactions?${query}`,
    );
    return answer.transactions ?? [];
  }

  getSale(id: string): Promise<PaypalSale> {
    return this.connection.call('GET', `/v1/payments/sale/${encodeURIComponent(id)}`);
  }
}

const pathOf = (id: string) => `/v1/billing/subscriptions/${encodeURIComponent(id)}`;
