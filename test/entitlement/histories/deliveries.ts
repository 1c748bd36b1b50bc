import { DAY_MS, newId } from '#libs/platform';
import type { Random } from '../../random.js';
import { BEGIN, type Said, type ToldHistory } from './told-history.js';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * The modes in which events reach entitlement: in order; shuffled and repeated; up to 25 days late and repeated; or, in
 * addition, with some snapshots missing.
 */
export const MODES = ['order', 'shuffle', 'delay', 'skip'] as const;
export type Mode = (typeof MODES)[number];

/** The length of a slot in days. Events are delivered at the end of each slot. */
export const SLOT_DAYS = 3;
const LATE_DAYS_MAX = 25;

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

export class Customer {
  readonly accountId = newId();
  readonly deliveries: Delivery[];
  private readonly originals = new Map<string, string>();

  /**
   * @param number a number that makes ids unique among all customers of a run; within a history, ids keep their order.
   */
  constructor(
    readonly mode: Mode,
    readonly history: ToldHistory,
    private readonly number: number,
    random: Random,
  ) {
    const { said: all } = history;
    const kept = mode === 'skip' ? skipping(all, random) : all;
    const first = kept.map((said) => ({ said, slot: slotOf(said.at) + lateSlots(mode, random) }));
    const copies = first.filter(() => mode !== 'order' && random.chance(0.2));
    const repeated = copies.map(({ said, slot }) => ({ said, slot: slot + random.between(0, 10) }));
    this.deliveries = [...first, ...repeated]
      .map(({ said, slot }, at) => ({
        said,
        slot,
        rank: mode === 'order' ? said.order : random.next(),
        isCopy: at >= first.length,
      }))
      .toSorted((a, b) => a.slot - b.slot || a.rank - b.rank)
      .map(({ said, slot, isCopy }) => this.deliveryOf(said, slot, isCopy));
  }

  originalOf(id: string): string {
    return this.originals.get(id) ?? id;
  }

  /** A repeated delta has a new id; a repeated snapshot keeps its id. */
  private deliveryOf(said: Said, slot: number, isCopy: boolean): Delivery {
    const { type, version, order } = said;
    const isAgain = isCopy && type !== 'billing.subscription-changed';
    const [id, aggregate] = [said.id, said.aggregate].map((text) => this.owned(text));
    return {
      slot,
      id: isAgain ? newId() : id,
      key: this.accountId,
      aggregate: isAgain ? `${aggregate}:${newId()}` : aggregate,
      sequence: order + 1,
      type,
      version,
      data: JSON.parse(this.owned(JSON.stringify(said.data))) as object,
    };
  }

  private owned(text: string): string {
    return text.replaceAll(UUID, (original) => {
      const own = this.number.toString(16).padStart(4, '0');
      const id = `${original.slice(0, 24)}${own}${original.slice(28)}`;
      this.originals.set(id, original);
      return id;
    });
  }
}

export function slotOf(at: Date): number {
  return Math.ceil((at.getTime() - BEGIN.getTime()) / (SLOT_DAYS * DAY_MS));
}

function lateSlots(mode: Mode, random: Random): number {
  if (mode !== 'delay' && mode !== 'skip') return 0;
  return random.chance(0.5) ? 0 : random.between(0, Math.floor(LATE_DAYS_MAX / SLOT_DAYS));
}

/** Omits snapshots that were replaced within 20 days, like a consumer that fetches rarely. */
function skipping(said: readonly Said[], random: Random): Said[] {
  return said.filter(({ type, data, at, order }) => {
    if (type !== 'billing.subscription-changed') return true;
    const next = said.find(
      (later) =>
        later.type === type &&
        later.order > order &&
        later.data.subscriptionId === data.subscriptionId,
    );
    const isReplaced = next !== undefined && next.at.getTime() - at.getTime() < 20 * DAY_MS;
    return !(isReplaced && random.chance(0.5));
  });
}
