/**
 * An amount. All types in this file follow PayPal's specification (github.com/paypal/paypal-rest-api-specifications).
 */
export interface Money {
  currency_code: string;
  value: string;
}

export interface Link {
  href: string;
  rel: string;
  method: 'GET' | 'POST' | 'PATCH';
}

export interface Capture {
  id: string;
  status: 'COMPLETED' | 'PENDING' | 'DECLINED' | 'PARTIALLY_REFUNDED' | 'REFUNDED';
  status_details?: { reason: 'PENDING_REVIEW' };
  amount: Money;
  custom_id?: string;
  final_capture: true;
  create_time: string;
  update_time: string;
  /** `order_id` is present in an order's payment, but not in a subscription's. */
  supplementary_data: { related_ids: { order_id?: string } };
  links: Link[];
}

export interface Refund {
  id: string;
  /** `IN_REVIEW` is invented: it stands for any status that PayPal may add later. */
  status: 'COMPLETED' | 'IN_REVIEW' | 'FAILED';
  amount: Money;
  custom_id?: string;
  create_time: string;
  update_time: string;
  links: Link[];
}

export interface PurchaseUnit {
  reference_id: 'default';
  custom_id?: string;
  amount: Money & { breakdown?: { item_total?: Money; tax_total?: Money } };
  items?: { quantity: string; unit_amount: Money }[];
  payments?: { captures: Capture[]; refunds: Refund[] };
}

export interface ExperienceContext {
  return_url: string;
  cancel_url: string;
}

export interface Order {
  id: string;
  intent: 'CAPTURE';
  status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED';
  create_time: string;
  /** Missing until the order is captured. */
  update_time?: string;
  purchase_units: [PurchaseUnit];
  payment_source: { paypal: { experience_context: ExperienceContext } };
  payer?: { payer_id: string };
  links: Link[];
}

export interface Dispute {
  dispute_id: string;
  create_time: string;
  update_time: string;
  disputed_transactions: { seller_transaction_id: string; gross_amount: Money }[];
  reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED';
  status: 'OPEN' | 'RESOLVED';
  dispute_amount: Money;
  dispute_life_cycle_stage: 'INQUIRY' | 'CHARGEBACK';
  dispute_outcome?: {
    outcome_code: 'RESOLVED_SELLER_FAVOUR' | 'RESOLVED_BUYER_FAVOUR';
    amount_refunded?: Money;
  };
  links: Link[];
}

export interface WebhookEvent {
  id: string;
  event_version: '1.0';
  create_time: string;
  resource_type: string;
  event_type: string;
  summary: string;
  resource: object;
  links: Link[];
}

export interface Product {
  id: string;
  name: string;
  type: string;
}

export interface Plan {
  id: string;
  product_id: string;
  name: string;
  description?: string;
  status: 'ACTIVE';
  quantity_supported: boolean;
  billing_cycles: {
    frequency: { interval_unit: 'MONTH' | 'YEAR'; interval_count: number };
    pricing_scheme: { fixed_price: Money };
  }[];
  payment_preferences: { auto_bill_outstanding: boolean; payment_failure_threshold: number };
}

export interface Subscription {
  id: string;
  status: 'APPROVAL_PENDING' | 'ACTIVE' | 'SUSPENDED' | 'CANCELLED';
  status_update_time: string;
  plan_id: string;
  plan_overridden: boolean;
  quantity: string;
  custom_id?: string;
  start_time: string;
  create_time: string;
  application_context?: ExperienceContext;
  billing_info: {
    outstanding_balance: Money;
    failed_payments_count: number;
    cycle_executions: { tenure_type: 'REGULAR'; sequence: 1; cycles_completed: number }[];
    last_payment?: { amount: Money; time: string };
    /** The API shows this only if it is asked for. */
    last_failed_payment?: { amount: Money; time: string };
    next_billing_time?: string;
  };
  links: Link[];
}

export interface PaypalKinds {
  order: Order;
  capture: Capture;
  refund: Refund;
  dispute: Dispute;
  product: Product;
  plan: Plan;
  subscription: Subscription;
}

/** Converts an amount to cents: PayPal writes decimals, and sums must be exact. */
export const toCents = ({ value }: Money): number => Math.round(Number(value) * 100);

export const toMoney = (cents: number, currency: string): Money => ({
  currency_code: currency,
  value: (cents / 100).toFixed(2),
});
