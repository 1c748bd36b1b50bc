/** What the simulator keeps, in PayPal's shapes (github.com/paypal/paypal-rest-api-specifications). */
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
  supplementary_data: { related_ids: { order_id: string } };
  links: Link[];
}

export interface Refund {
  id: string;
  status: 'COMPLETED' | 'FAILED';
  amount: Money;
  custom_id?: string;
  create_time: string;
  update_time: string;
  links: Link[];
}

export interface PurchaseUnit {
  reference_id: 'default';
  custom_id?: string;
  amount: Money;
  items?: object[];
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
  update_time: string;
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
  dispute_outcome?: { outcome_code: 'RESOLVED_SELLER_FAVOUR' | 'RESOLVED_BUYER_FAVOUR' };
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

/** The kinds of object that have an id of their own. */
export interface PaypalKinds {
  order: Order;
  capture: Capture;
  refund: Refund;
  dispute: Dispute;
}

/** Amounts are exact: PayPal writes them in decimals, sums are of cents. */
export const toCents = ({ value }: Money): number => Math.round(Number(value) * 100);

export const toMoney = (cents: number, currency: string): Money => ({
  currency_code: currency,
  value: (cents / 100).toFixed(2),
});
