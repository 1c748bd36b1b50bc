import type { PaypalConnection } from './paypal-connection.js';
import type {
  PaypalCapture,
  PaypalDispute,
  PaypalEventList,
  PaypalLink,
  PaypalMoney,
  PaypalOrder,
  PaypalRefund,
} from './paypal-objects.js';

/** `POST /v2/checkout/orders`. */
export interface OrderRequest {
  intent: 'CAPTURE';
  purchase_units: [
    {
      custom_id: string;
      amount: Required<PaypalMoney> & { breakdown: { item_total: PaypalMoney } };
      items: {
        name: string;
        quantity: string;
        unit_amount: PaypalMoney;
        category: 'DIGITAL_GOODS';
      }[];
    },
  ];
  payment_source: {
    paypal: {
      experience_context: {
        return_url: string;
        cancel_url: string;
        user_action: 'PAY_NOW';
        shipping_preference: 'NO_SHIPPING';
        payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED';
      };
    };
  };
}

/** `POST /v2/payments/captures/{id}/refund`. */
export interface RefundBody {
  amount: PaypalMoney;
  custom_id: string;
}

/** A change in the format of JSON Patch (RFC 6902). */
export interface Patch {
  op: 'add' | 'replace';
  path: string;
  value: string | number | boolean | PaypalMoney;
}

/** A page of `GET /v1/reporting/transactions`. */
export interface PaypalTransactions {
  transaction_details?: {
    transaction_info?: {
      transaction_id?: string;
      /** `T0002` is a subscription's payment, other `T00…` codes are other payments, `T1106`, `T1107` are refunds. */
      transaction_event_code?: string;
      transaction_status?: string;
      transaction_amount?: PaypalMoney;
    };
  }[];
  total_pages?: number;
}

export interface PaypalDisputeList {
  items?: PaypalDispute[];
  links?: PaypalLink[];
}

const EVENTS_PAGE = 100;
const DISPUTES_PAGE = 50;
const TRANSACTIONS_PAGE = 500;

/** The part of PayPal's REST API that we use (github.com/paypal/paypal-rest-api-specifications). */
export class PaypalClient {
  constructor(private readonly connection: PaypalConnection) {}

  createOrder(body: OrderRequest, key: string): Promise<PaypalOrder> {
    return this.connection.call('POST', '/v2/checkout/orders', { body, key });
  }

  getOrder(id: string): Promise<PaypalOrder> {
    return this.connection.call('GET', `/v2/checkout/orders/${encodeURIComponent(id)}`);
  }

  async patchOrder(id: string, body: readonly Patch[]): Promise<void> {
    await this.connection.call('PATCH', `/v2/checkout/orders/${encodeURIComponent(id)}`, { body });
  }

  /**
   * Takes the money of an approved order. The call has no key, because PayPal captures an order only once. With the key
   * of an earlier call, PayPal would repeat its refusal, even if the customer has chosen another payment method.
   */
  captureOrder(id: string): Promise<PaypalOrder> {
    const path = `/v2/checkout/orders/${encodeURIComponent(id)}/capture`;
    return this.connection.call('POST', path, { body: {} });
  }

  getCapture(id: string): Promise<PaypalCapture> {
    return this.connection.call('GET', `/v2/payments/captures/${encodeURIComponent(id)}`);
  }

  /** Refunds a capture, which may be the payment of a subscription. */
  refundCapture(id: string, body: RefundBody, key: string): Promise<PaypalRefund> {
    const path = `/v2/payments/captures/${encodeURIComponent(id)}/refund`;
    return this.connection.call('POST', path, { body, key });
  }

  getRefund(id: string): Promise<PaypalRefund> {
    return this.connection.call('GET', `/v2/payments/refunds/${encodeURIComponent(id)}`);
  }

  getDispute(id: string): Promise<PaypalDispute> {
    return this.connection.call('GET', `/v1/customer/disputes/${encodeURIComponent(id)}`);
  }

  /**
   * Lists a page of the disputes that last changed between two times.
   * @param link the link to the page, of which only the query is used; by default, the first page is listed.
   */
  listDisputes(from: Date, to: Date, link?: string): Promise<PaypalDisputeList> {
    const query = new URLSearchParams({
      update_time_after: from.toISOString(),
      update_time_before: to.toISOString(),
      page_size: String(DISPUTES_PAGE),
    });
    const search = link === undefined ? `?${query}` : new URL(link).search;
    return this.connection.call('GET', `/v1/customer/disputes${search}`);
  }

  /** Lists the latest disputes of a payment, newest first. */
  listDisputesOf(paymentId: string): Promise<PaypalDisputeList> {
    const query = new URLSearchParams({ disputed_transaction_id: paymentId });
    return this.connection.call('GET', `/v1/customer/disputes?${query}`);
  }

  /**
   * Lists a page, numbered from 1, of the transactions that moved money between two times, both included. PayPal lists
   * them up to three hours late, and for at most 31 days per call.
   */
  listTransactions(from: Date, to: Date, page: number): Promise<PaypalTransactions> {
    const query = new URLSearchParams({
      start_date: from.toISOString(),
      end_date: to.toISOString(),
      fields: 'transaction_info',
      page_size: String(TRANSACTIONS_PAGE),
      page: String(page),
    });
    return this.connection.call('GET', `/v1/reporting/transactions?${query}`);
  }

  /** Reads the first page of the events between two times, both included. */
  listEvents(from: Date, to: Date): Promise<PaypalEventList> {
    const query = new URLSearchParams({
      start_time: from.toISOString(),
      end_time: to.toISOString(),
      page_size: String(EVENTS_PAGE),
    });
    return this.connection.call('GET', `/v1/notifications/webhooks-events?${query}`);
  }

  /** Reads another page of events by its link. Only the link's query is used. */
  nextEvents(link: string): Promise<PaypalEventList> {
    const { search } = new URL(link);
    return this.connection.call('GET', `/v1/notifications/webhooks-events${search}`);
  }
}
