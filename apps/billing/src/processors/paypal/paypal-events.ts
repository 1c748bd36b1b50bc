import type { ProcessorEvent, ProcessorRef } from '../payment-processor.js';
import { type PaypalEvent, isPaypalId } from './paypal-objects.js';
import { toChangeBillId, toChangeReference } from './subscriptions/change-reference.js';

/** The object to fetch for an event, by the event's type. The first match counts. */
const REFS: readonly [
  type: RegExp,
  kind: ProcessorRef['kind'],
  idOf: (resource: NonNullable<PaypalEvent['resource']>) => string | undefined,
][] = [
  // The bill of a change is read by its own id, because another period may have begun and been paid before the money
  // arrived.
  [
    /^PAYMENT\.CAPTURE\.COMPLETED$/,
    'bill',
    ({ custom_id: customId, supplementary_data: data }) => {
      const orderId = data?.related_ids?.order_id;
      return changedBy(customId) && orderId ? toChangeBillId(orderId) : undefined;
    },
  ],
  // An order that pays for a plan change is captured when its subscription is fetched.
  [
    /^CHECKOUT\.ORDER\./,
    'subscription',
    ({ purchase_units: units }) => changedBy(units?.[0]?.custom_id),
  ],
  [
    /^PAYMENT\.CAPTURE\.(COMPLETED|PENDING|DENIED|DECLINED)$/,
    'subscription',
    ({ custom_id: customId }) => changedBy(customId),
  ],
  [/^CHECKOUT\.ORDER\./, 'checkout', ({ id }) => id],
  [/^CHECKOUT\.PAYMENT-APPROVAL\.REVERSED$/, 'checkout', ({ order_id: id }) => id],
  [/^PAYMENT\.CAPTURE\.(COMPLETED|PENDING|DENIED|DECLINED)$/, 'payment', ({ id }) => id],
  [/^PAYMENT\.(CAPTURE|SALE)\.(REFUNDED|REVERSED)$/, 'refund', ({ id }) => id],
  [/^PAYMENT\.REFUND\./, 'refund', ({ id }) => id],
  // The checkout of a subscription has the subscription's id.
  [/^BILLING\.SUBSCRIPTION\.(CREATED|ACTIVATED)$/, 'checkout', ({ id }) => id],
  [/^BILLING\.SUBSCRIPTION\./, 'subscription', ({ id }) => id],
  [
    /^PAYMENT\.SALE\.COMPLETED$/,
    'bill',
    ({ id, billing_agreement_id: of }) => (of ? id : undefined),
  ],
  [/^CUSTOMER\.DISPUTE\./, 'dispute', ({ dispute_id: id }) => id],
];

/** Converts a delivered or listed event to our form; undefined if it is malformed, even with a valid signature. */
export function eventOf(event: PaypalEvent): ProcessorEvent | undefined {
  const { id, event_type: type, create_time: time } = event;
  const occurredAt = new Date(time ?? Number.NaN);
  const isNamed = isPaypalId(id) && /^[A-Z][A-Z.-]{0,199}$/.test(String(type));
  if (!isNamed || Number.isNaN(occurredAt.getTime())) return undefined;
  return { id, type: String(type), occurredAt, ref: refOf(String(type), event) };
}

/** Returns the object to fetch for an event; undefined if the event does not concern us. */
function refOf(type: string, { resource }: PaypalEvent): ProcessorRef | undefined {
  if (typeof resource !== 'object' || resource === null) return undefined;
  for (const [types, kind, idOf] of REFS) {
    const id = types.test(type) ? idOf(resource) : undefined;
    if (isPaypalId(id)) return { kind, id };
  }
  return undefined;
}

const changedBy = (customId: string | undefined) => toChangeReference(customId)?.subscriptionId;
