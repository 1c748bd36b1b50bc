import { DAY_MS, HOUR_MS } from '#libs/platform';
import type { Capture, Order, PurchaseUnit } from './paypal-objects.js';
import { PaypalRefusal } from './paypal-refusal.js';
import type { PaypalWorld } from './paypal-world.js';

/** The behaviour of the customer's payment method when an order is captured. */
export type Funding = 'pays' | 'declines' | 'is-reviewed' | 'fails-review';

interface OrderPatch {
  op: string;
  path: string;
  value: string;
}

const REVIEW_MS = 3 * DAY_MS;
const UNAPPROVED_MS = 3 * HOUR_MS;
const CUSTOM_ID_PATH = "/purchase_units/@reference_id=='default'/custom_id";

/** Simulates orders (v2), which the API creates and captures and the customer approves on a page. */
export class Orders {
  private readonly fundings = new Map<string, Funding>();

  constructor(private readonly world: PaypalWorld) {}

  /** `POST /v2/checkout/orders`. */
  create({ purchase_units: units, payment_source: source }: Order): Order {
    const [unit] = units ?? [];
    const context = source?.paypal?.experience_context;
    if (!unit || !/^\d+\.\d{2}$/.test(unit.amount?.value) || !context?.return_url) {
      throw PaypalRefusal.incomplete();
    }
    if (centsOf(unit.amount) === 0) throw PaypalRefusal.zero();
    checkSums(unit);
    const { world } = this;
    const id = world.newId();
    const { custom_id, amount, items } = unit;
    const stored: PurchaseUnit = { reference_id: 'default', custom_id, amount, items };
    return world.put('order', id, {
      id,
      intent: 'CAPTURE',
      status: 'PAYER_ACTION_REQUIRED',
      create_time: world.now,
      purchase_units: [stored],
      payment_source: { paypal: { experience_context: context } },
      links: [
        world.link('self', `/v2/checkout/orders/${id}`),
        world.link('payer-action', `/checkoutnow/${id}`),
      ],
    });
  }

  /** `GET /v2/checkout/orders/{id}`. An order that was not approved in time is no longer found. */
  get(id: string): Order {
    const order = this.world.get('order', id);
    const ageMs = this.world.clock.now().getTime() - Date.parse(order.create_time);
    if (order.status === 'PAYER_ACTION_REQUIRED' && ageMs > UNAPPROVED_MS) {
      throw PaypalRefusal.missing();
    }
    return order;
  }

  /** `PATCH /v2/checkout/orders/{id}`: changes only the merchant's reference (`custom_id`). */
  patch(id: string, patches: readonly OrderPatch[]): void {
    const order = this.world.get('order', id);
    if (order.status === 'COMPLETED') {
      throw PaypalRefusal.unprocessable('ORDER_ALREADY_COMPLETED', 'The order cannot be patched.');
    }
    for (const { op, path, value } of patches) {
      if (op !== 'replace' || path !== CUSTOM_ID_PATH) {
        throw PaypalRefusal.unprocessable('NOT_PATCHABLE', `${path} cannot be patched.`);
      }
      order.purchase_units[0].custom_id = value;
    }
  }

  /** Approves an order, as the customer does on the page. */
  approve(id: string, funding: Funding): Order {
    const order = this.world.get('order', id);
    if (order.status === 'COMPLETED') return order;
    this.fundings.set(id, funding);
    order.status = 'APPROVED';
    order.payer = { payer_id: 'SIMULATED' };
    this.world.emit('CHECKOUT.ORDER.APPROVED', 'checkout-order', order);
    return order;
  }

  /** `POST /v2/checkout/orders/{id}/capture`. */
  capture(id: string): Order {
    const order = this.world.get('order', id);
    if (order.status === 'COMPLETED') {
      throw PaypalRefusal.unprocessable('ORDER_ALREADY_CAPTURED', 'Order already captured.');
    }
    if (order.status !== 'APPROVED') {
      throw PaypalRefusal.unprocessable('ORDER_NOT_APPROVED', 'Payer has not approved the Order.');
    }
    const funding = this.fundings.get(id) ?? 'pays';
    if (funding === 'declines') {
      order.status = 'PAYER_ACTION_REQUIRED';
      throw PaypalRefusal.unprocessable('INSTRUMENT_DECLINED', 'The instrument was declined.');
    }
    const capture = this.captureOf(order, funding);
    order.purchase_units[0].payments = { captures: [capture], refunds: [] };
    order.status = 'COMPLETED';
    order.update_time = this.world.now;
    if (capture.status === 'COMPLETED') this.tell(capture);
    else this.review(capture, funding);
    return order;
  }

  private captureOf(order: Order, funding: Funding): Capture {
    const { world } = this;
    const id = world.newId();
    const [{ amount, custom_id }] = order.purchase_units;
    return world.put('capture', id, {
      id,
      status: funding === 'pays' ? 'COMPLETED' : 'PENDING',
      ...(funding !== 'pays' && { status_details: { reason: 'PENDING_REVIEW' } }),
      amount: { currency_code: amount.currency_code, value: amount.value },
      custom_id,
      final_capture: true,
      create_time: world.now,
      update_time: world.now,
      supplementary_data: { related_ids: { order_id: order.id } },
      links: [
        world.link('self', `/v2/payments/captures/${id}`),
        world.link('refund', `/v2/payments/captures/${id}/refund`, 'POST'),
        world.link('up', `/v2/checkout/orders/${order.id}`),
      ],
    });
  }

  /** Puts a payment under review. Days later, PayPal releases the money or declines the payment. */
  private review(capture: Capture, funding: Funding): void {
    this.tell(capture);
    const { clock } = this.world;
    clock.at(new Date(clock.now().getTime() + REVIEW_MS), () => {
      capture.status = funding === 'is-reviewed' ? 'COMPLETED' : 'DECLINED';
      delete capture.status_details;
      capture.update_time = this.world.now;
      this.tell(capture);
    });
  }

  private tell(capture: Capture): void {
    const ending = capture.status === 'DECLINED' ? 'DENIED' : capture.status;
    this.world.emit(`PAYMENT.CAPTURE.${ending}`, 'capture', capture);
  }
}

const centsOf = ({ value }: { value: string }) => Math.round(Number(value) * 100);

/** Checks, as PayPal does, that the items add up to the item total, and the item total and tax to the amount. */
function checkSums({ amount, items = [] }: PurchaseUnit): void {
  const { item_total: total = amount, tax_total: tax } = amount.breakdown ?? {};
  const ofItems = items.reduce(
    (sum, { quantity, unit_amount: unit }) => sum + Number(quantity) * centsOf(unit),
    0,
  );
  if (items.length > 0 && ofItems !== centsOf(total)) {
    throw PaypalRefusal.unprocessable('ITEM_TOTAL_MISMATCH', 'Should equal sum of the items.');
  }
  if (centsOf(total) + (tax ? centsOf(tax) : 0) !== centsOf(amount)) {
    throw PaypalRefusal.unprocessable('AMOUNT_MISMATCH', 'Should equal item_total + tax_total.');
  }
}
