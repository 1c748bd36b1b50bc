import type { Clock } from '#libs/platform';
import type { CheckoutRequest, CheckoutSnapshot, CreatedCheckout } from '../payment-processor.js';
import { UnfitObject } from '../unfit-object.js';
import { type OrderReference, toCustomId, toOrderReference } from './order-reference.js';
import type { OrderRequest, PaypalClient } from './paypal-client.js';
import { PaypalRefusal } from './paypal-connection.js';
import { type PaypalOrder, currencyOf, idOf, linkOf, microsOf, toMoney } from './paypal-objects.js';
import { isDecided, isDeclined } from './paypal-result.js';
import { checkoutSnapshot } from './paypal-snapshots.js';

const NAME_MAX = 127;
/** What PayPal says if the order was captured, or has lost its approval, since it was read. */
const OVERTAKEN_ISSUES = [
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_COMPLETED',
  'ORDER_NOT_APPROVED',
];
/** The issue for a page that cannot be closed; the message is PayPal's. */
const NOT_CLOSABLE = 'NOT_CLOSABLE';
const CUSTOM_ID_PATH = "/purchase_units/@reference_id=='default'/custom_id";

/** Takes the payments for individual orders: the customer approves an order on PayPal's page, then we capture it. */
export class PaypalOrders {
  constructor(
    private readonly client: PaypalClient,
    private readonly clock: Clock,
  ) {}

  /** @throws UnfitObject if PayPal answers with a different amount or currency. */
  async create(request: CheckoutRequest): Promise<CreatedCheckout> {
    const key = `order:${request.orderId}:checkout`;
    const { orderId, expiresAt: until } = request;
    const customId = toCustomId({ orderId, until });
    const order = await this.client.createOrder(paymentRequest({ ...request, customId }), key);
    const [unit = {}] = order.purchase_units ?? [];
    // PayPal does not document whether it compares the bodies sent with one idempotency key.
    const isSame =
      microsOf(unit.amount) === totalOf(request) && currencyOf(unit.amount) === request.currency;
    if (!isSame) throw new UnfitObject(`the order ${String(order.id)} has a different amount`);
    return {
      checkoutId: idOf(order.id),
      // At PayPal, customers have no id before they pay.
      customerId: request.accountId,
      redirectUrl: pageOf(order),
    };
  }

  /** Fetches an order. Captures an approved order of ours first, unless we have closed it. */
  async fetch(id: string): Promise<CheckoutSnapshot> {
    const order = await this.client.getOrder(id);
    const capture = order.status === 'APPROVED' ? await this.capture(order) : 'not_tried';
    const isSame = capture === 'not_tried';
    const current = isSame ? order : await this.client.getOrder(id);
    const snapshot = checkoutSnapshot(current, this.clock.now());
    return capture === 'declined' ? { ...snapshot, isDeclined: true } : snapshot;
  }

  /**
   * Marks an order so that it is never captured.
   * @throws PaypalRefusal if the order was already captured, or cannot be marked; UnfitObject if it is not one of ours.
   */
  async close(id: string): Promise<CheckoutSnapshot> {
    const order = await this.client.getOrder(id);
    const { orderId } = referenceOf(order);
    const value = toCustomId({ orderId, until: null });
    try {
      await this.client.patchOrder(id, [{ op: 'replace', path: CUSTOM_ID_PATH, value }]);
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || !isDecided(error)) throw error;
      // PayPal documents this change only for some of the states before the capture.
      const isCaptured = (await this.client.getOrder(id)).status === 'COMPLETED';
      throw isCaptured ? error : new PaypalRefusal(error.status, NOT_CLOSABLE, error.message);
    }
    return checkoutSnapshot(await this.client.getOrder(id), this.clock.now());
  }

  /** Finds the order to which a capture belongs; undefined for a payment of a subscription. */
  async orderOf(captureId: string): Promise<PaypalOrder | undefined> {
    const { supplementary_data: data, links } = await this.client.getCapture(captureId);
    const linked = linkOf(links, 'up')?.split('/').at(-1);
    const id = data?.related_ids?.order_id ?? linked;
    return id === undefined ? undefined : this.client.getOrder(idOf(id));
  }

  /**
   * Captures an approved order. `tried`: the order was captured, by this call or another. `declined`: the customer's
   * payment was declined. An order that is not ours, or that we closed, is not captured. An approval after our time
   * limit still counts, because the customer wants to pay.
   * @throws PaypalRefusal if PayPal refuses for a reason that the operator must know, such as a restricted account.
   */
  private async capture(order: PaypalOrder): Promise<'tried' | 'declined' | 'not_tried'> {
    const id = idOf(order.id);
    if (!toOrderReference(order.purchase_units?.[0]?.custom_id)?.until) return 'not_tried';
    try {
      await this.client.captureOrder(id);
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || !isDecided(error)) throw error;
      if (isDeclined(error)) return 'declined';
      if (!OVERTAKEN_ISSUES.includes(error.issue)) throw error;
    }
    return 'tried';
  }
}

function referenceOf({ id, purchase_units: units }: PaypalOrder): OrderReference {
  const reference = toOrderReference(units?.[0]?.custom_id);
  if (!reference) throw new UnfitObject(`the order ${String(id)} is not one of ours`);
  return reference;
}

type Lines = Pick<CheckoutRequest, 'lines'>;

const netOf = ({ lines }: Lines) => lines.reduce((sum, { amountMicros }) => sum + amountMicros, 0n);
const taxOf = ({ lines }: Lines) => lines.reduce((sum, { taxMicros }) => sum + taxMicros, 0n);
const totalOf = (request: Lines) => netOf(request) + taxOf(request);

/** A payment that the customer makes once, on one page. */
export interface PaymentRequest extends Pick<
  CheckoutRequest,
  'currency' | 'lines' | 'successUrl' | 'cancelUrl'
> {
  customId: string;
}

export function paymentRequest(request: PaymentRequest): OrderRequest {
  const { customId, currency, lines, successUrl, cancelUrl } = request;
  const tax = taxOf(request);
  return {
    intent: 'CAPTURE',
    purchase_units: [
      {
        custom_id: customId,
        amount: {
          ...toMoney(totalOf(request), currency),
          breakdown: {
            item_total: toMoney(netOf(request), currency),
            ...(tax > 0n && { tax_total: toMoney(tax, currency) }),
          },
        },
        items: lines.map(({ name, quantity, amountMicros }) => ({
          name: name.slice(0, NAME_MAX),
          quantity: String(quantity),
          unit_amount: toMoney(amountMicros / BigInt(quantity), currency),
          category: 'DIGITAL_GOODS',
        })),
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          return_url: successUrl,
          cancel_url: cancelUrl,
          user_action: 'PAY_NOW',
          shipping_preference: 'NO_SHIPPING',
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
        },
      },
    },
  };
}

/** Returns the URL where the customer approves an order; empty if nothing is left to do. */
export function pageOf({ links }: PaypalOrder): string {
  return linkOf(links, 'payer-action') ?? linkOf(links, 'approve') ?? '';
}
