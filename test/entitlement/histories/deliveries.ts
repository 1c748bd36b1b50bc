import { DAY_MS, newId } from '#libs/platform';
import type { Random } from '../../random.js';
import { BEGIN, type Said, type ToldHistory } from './told-history.js';

/**
 * The modes in which events reach entitlement: in order; shuffled and repeated; up to 25 days late and repeated; or, in
 * addition, with some snapshots missing.
 */
export type Mode = 'order' | 'shuffle' | 'delay' | 'skip';

/** The length of a slot in days. Events are delivered at the end of each slot. */
export const SLOT_DAYS = 3;
const LATE_DAYS_MAX = 25;
const SNAPSHOT = 'billing.subscription-changed';

export type Delivery = Omit<Said, 'order'> & { slot: number; key: string; sequence: number };

/** Returns the events of a history in the order in which they arrive. */
export function deliveriesOf(
  { accountId, said: all }: ToldHistory,
  mode: Mode,
  random: Random,
): Delivery[] {
  const kept = mode === 'skip' ? skipping(all, random) : all;
  const first = kept.map((said) => {
    return { said, slot: slotOf(said.at) + lateSlots(mode, random), isCopy: false };
  });
  const copies = first
    .filter(() => mode !== 'order' && random.chance(0.2))
    .map(({ said, slot }) => ({ said, slot: slot + random.between(0, 10), isCopy: true }));
  return [...first, ...copies]
    .map((one) => ({ ...one, rank: mode === 'order' ? one.said.order : random.next() }))
    .toSorted((a, b) => a.slot - b.slot || a.rank - b.rank)
    .map(({ said: { order, ...said }, slot, isCopy }) => {
      const delivery = { ...said, slot, key: accountId, sequence: order + 1 };
      // A repeated delta has a new id; a repeated snapshot keeps its id.
      if (!isCopy || said.type === SNAPSHOT) return delivery;
      return { ...delivery, id: newId(), aggregate: `${said.aggregate}:${newId()}` };
    });
}

function slotOf(at: Date): number {
  return Math.ceil((at.getTime() - BEGIN.getTime()) / (SLOT_DAYS * DAY_MS));
}

function lateSlots(mode: Mode, random: Random): number {
  if (mode !== 'delay' && mode !== 'skip') return 0;
  return random.chance(0.5) ? 0 : random.between(0, Math.floor(LATE_DAYS_MAX / SLOT_DAYS));
}

/**
 * Omits about half of the snapshots that were replaced within 20 days, as if billing had fetched the subscriptions
 * rarely.
 */
function skipping(said: readonly Said[], random: Random): Said[] {
  return said.filter(({ type, data, at, order }) => {
    if (type !== SNAPSHOT) return true;
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
