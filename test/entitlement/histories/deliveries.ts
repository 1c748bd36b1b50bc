import {
  type EventClass,
  PaymentConfirmed,
  PaymentReversalUndone,
  PaymentReversed,
  SubscriptionChanged,
  describeEvent,
} from '#libs/contracts';
import { DAY_MS, addMonths, newId } from '#libs/platform';
import type { Random } from '../../random.js';
import { BEGIN, type Processor, type Said } from './processor.js';

/** How a UUIDv7 of now begins: the inbox looks for a repeat in the month of an event's id. */
const THIS_MONTH = newId().slice(0, 13);

/**
 * How what was said reaches entitlement: in order; shuffled and repeated where no slice begins or ends
 * meanwhile; up to 25 days late, repeated; with snapshots that nobody ever fetched.
 */
export const MODES = ['order', 'shuffle', 'delay', 'skip'] as const;
export type Mode = (typeof MODES)[number];

/** Events are delivered at the ends of slots of so many days. */
export const SLOT_DAYS = 3;
const LATE_DAYS_MAX = 25;
/** How long a slice lives behind its end while nothing ends it. */
export const GRACE_DAYS = 7;

const CLASSES = {
  snapshot: SubscriptionChanged,
  payment: PaymentConfirmed,
  reversed: PaymentReversed,
  undone: PaymentReversalUndone,
} satisfies Record<Said['event']['kind'], EventClass>;

/** A row of billing's outbox. */
export interface Delivery {
  slot: number;
  id: string;
  key: string;
  aggregate: string;
  sequence: number;
  type: string;
  version: number;
  data: object;
}

/** One customer's events in one mode, as an account of its own. */
export class Customer {
  readonly accountId = newId();
  readonly deliveries: Delivery[];

  /** @param number tells apart the ids of all customers of a run; of one history they sort alike. */
  constructor(
    readonly seed: number,
    readonly mode: Mode,
    readonly processor: Processor,
    private readonly number: number,
    random: Random,
  ) {
    const kept = mode === 'skip' ? skipping(processor.said, random) : processor.said;
    const first = kept.map((said) => ({ said, slot: slotOf(said.at) + lateSlots(mode, random) }));
    const copies = first.filter(() => mode !== 'order' && random.chance(0.2));
    const repeated = copies.map(({ said, slot }) => ({ said, slot: slot + random.between(0, 10) }));
    const boundaries = boundarySlots(processor);
    const rankOf = (slot: number, { order }: Said) =>
      mode !== 'order' && (mode !== 'shuffle' || !boundaries.has(slot)) ? random.next() : order;
    this.deliveries = [...first, ...repeated]
      .map(({ said, slot }, at) => ({
        said,
        slot,
        rank: rankOf(slot, said),
        isCopy: at >= first.length,
      }))
      .toSorted((a, b) => a.slot - b.slot || a.rank - b.rank)
      .map(({ said, slot, isCopy }) => this.deliveryOf(said, slot, isCopy));
  }

  /** The id that a name of the history has here. */
  idOf(name: string): string {
    const ordinal = Number(name.split(' ')[1]).toString(16).padStart(6, '0');
    const kind = { line: '1', payment: '2', reversal: '3', subscription: '4', event: '5' }[
      name.split(' ')[0]
    ];
    return `${THIS_MONTH}-700${kind}-8000-${this.number.toString(16).padStart(6, '0')}${ordinal}`;
  }

  /** The name of a line by its id. */
  nameOf(lineId: string): string {
    return `line ${parseInt(lineId.slice(-6), 16)}`;
  }

  /** A repeat of a delta comes under an id of its own; that of a snapshot is the same one again. */
  private deliveryOf({ event, order }: Said, slot: number, isCopy: boolean): Delivery {
    const { type, version, kind } = describeEvent(CLASSES[event.kind]);
    const isAgain = isCopy && kind === 'delta';
    const data = this.withIds(event.data);
    const [about] = Object.values(data as Record<string, string>);
    return {
      slot,
      id: isAgain ? newId() : this.idOf(`event ${order}`),
      key: this.accountId,
      aggregate: `${event.kind}:${about}${isAgain ? `:${newId()}` : ''}`,
      sequence: order + 1,
      type,
      version,
      data,
    };
  }

  private withIds<T>(value: T): T {
    if (typeof value === 'string') {
      return (
        /^(line|payment|reversal|subscription) [0-9]+$/.test(value) ? this.idOf(value) : value
      ) as T;
    }
    if (Array.isArray(value)) return value.map((part) => this.withIds(part)) as T;
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, part]) => [name, this.withIds(part)]);
    return Object.fromEntries(entries) as T;
  }
}

export function slotOf(at: Date): number {
  return Math.ceil((at.getTime() - BEGIN.getTime()) / (SLOT_DAYS * DAY_MS));
}

function lateSlots(mode: Mode, random: Random): number {
  if (mode !== 'delay' && mode !== 'skip') return 0;
  return random.chance(0.5) ? 0 : random.between(0, Math.floor(LATE_DAYS_MAX / SLOT_DAYS));
}

/** Leaves out snapshots that were replaced within 20 days, as one who fetches now and then does. */
function skipping(said: Said[], random: Random): Said[] {
  return said.filter(({ event, at, order }) => {
    if (event.kind !== 'snapshot') return true;
    const next = said.find(
      (later) =>
        later.event.kind === 'snapshot' &&
        later.order > order &&
        later.event.data.subscriptionId === event.data.subscriptionId,
    );
    const isReplaced = next !== undefined && next.at.getTime() - at.getTime() < 20 * DAY_MS;
    return !(isReplaced && random.chance(0.5));
  });
}

/** Slots in which time alone changes something: there the order is part of what happened. */
function boundarySlots({ lines }: Processor): Set<number> {
  const slots = new Set<number>();
  for (const { stretch } of lines) {
    if (!stretch) continue;
    for (let month = 0; month <= 12; month++) {
      const start = addMonths(stretch.start, month);
      slots.add(slotOf(start));
      slots.add(slotOf(new Date(start.getTime() + GRACE_DAYS * DAY_MS)));
    }
  }
  return slots;
}
