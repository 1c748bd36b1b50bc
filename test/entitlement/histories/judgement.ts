import type { Random } from '../../random.js';
import { SLOT_DAYS } from './deliveries.js';
import type { ExpectedGrant } from './expected.js';
import { HORIZON_DAYS } from './told-history.js';

const SPENDS_MAX = 3;
/** The allowed difference between integers and floats, per slice. */
const ROUNDING = 2;

export interface Tally {
  customers: number;
  events: number;
  faults: string[];
}

/** A grant of a line, identified by the line's name in its history. */
export interface GrantRow {
  name: string;
  kind: string;
  granted: number;
  reversed: number;
}

/**
 * Plans a customer's usage and its times. They are the same in every mode of a history, so that the results can be
 * compared.
 */
export function planSpends(random: Random): { slot: number; amount: number }[] {
  return Array.from({ length: random.between(0, SPENDS_MAX) }, () => ({
    slot: random.between(1, HORIZON_DAYS / SLOT_DAYS),
    amount: random.pick([200, 2_000, 5_000, 20_000, 60_000]),
  }));
}

/** The amounts that must be equal in every mode of a history, by line and slice. */
export function amountsOf(grants: GrantRow[]) {
  return grants
    .filter(({ kind }) => kind !== 'release')
    .map(({ name, granted, reversed }) => ({ name, granted, reversed }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Finds credits that are missing, doubled or kept without payment. */
export function compareAmounts(
  where: string,
  grants: GrantRow[],
  expected: Map<string, ExpectedGrant>,
): string[] {
  const found = new Map(amountsOf(grants).map((grant) => [grant.name, grant]));
  return [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) => {
    const [is, should] = [found.get(name), expected.get(name)];
    const isSame =
      is !== undefined &&
      should !== undefined &&
      is.granted === should.granted &&
      Math.abs(is.reversed - should.reversed) <= ROUNDING;
    const [text, right] = [JSON.stringify(is), JSON.stringify(should)];
    return isSame ? [] : [`${where}: ${name} is ${text}, expected ${right}`];
  });
}
