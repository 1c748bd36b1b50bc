import type { ProcessorEvent, ProcessorRef } from '../payment-processor.js';
import { type PaypalEvent, isPaypalId } from './paypal-objects.js';

/** What to fetch for an event, by its type. The first that fits counts. */
const REFS: readonly [
  type: RegExp,
  kind: ProcessorRef['kind'],
  idOf: (resource: NonNullable<PaypalEvent['resource']>) => string | undefined,
][] = [
  [/^CHECKOUT\.ORDER\./, 'checkout', ({ id }) => id],
  [/^CHECKOUT\.PAYMENT-APPROVAL\.REVERSED$/, 'checkout', ({ order_id: id }) => id],
  [/^PAYMENT\.CAPTURE\.(COMPLETED|PENDING|DENIED|DECLINED)$/, 'payment', ({ id }) => id],
  [/^PAYMENT\.(CAPTURE|SALE)\.(REFUNDED|REVERSED)$/, 'refund', ({ id }) => id],
  [/^PAYMENT\.REFUND\./, 'refund', ({ id }) => id],
  [/^CUSTOMER\.DISPUTE\./, 'dispute', ({ dispute_id: id }) => id],
];

/** An event, delivered or listed, in our words; undefined for what is none, however well it is signed. */
export function eventOf(event: PaypalEvent): ProcessorEvent | undefined {
  const { id, event_type: type, create_time: time } = event;
  const occurredAt = new Date(time ?? Number.NaN);
  const isNamed = isPaypalId(id) && /^[A-Z][A-Z.-]{0,199}$/.test(String(type));
  if (!isNamed || Number.isNaN(occurredAt.getTime())) return undefined;
  return { id, type: String(type), occurredAt, ref: refOf(String(type), event) };
}

/** Undefined for what does not concern us. */
function refOf(type: string, { resource }: PaypalEvent): ProcessorRef | undefined {
  const found = REFS.find(([types]) => types.test(type));
  if (!found || typeof resource !== 'object' || resource === null) return undefined;
  const [, kind, idOf] = found;
  const id = idOf(resource);
  return isPaypalId(id) ? { kind, id } : undefined;
}
