import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '#libs/platform';
import type { Random } from '../../random.js';
import { GRACE_DAYS, SLOT_DAYS } from './deliveries.js';
import type { ExpectedGrant } from './expected.js';
import { HORIZON_DAYS } from './told-history.js';

const SPENDS_MAX = 3;
/** The allowed difference between integers and floats, per slice. */
const ROUNDING = 2;

export interface Tally {
  histories: number;
  customers: number;
  events: number;
  /** The faults found, one per line. */
  faults: string[];
}

/** A grant of a line, identified by the line's name in its history. */
export interface GrantRow {
  name: string;
  kind: string;
  granted: number;
  reversed: number;
  /** The credits of this grant that have ever repaid a debt, whether or not they were returned later. */
  paid: number;
  /** All recorded facts about the grant. */
  row: Record<string, unknown>;
}

/**
 * A customer's usage and its times, which are the same in every mode of a history, so that the results can be compared.
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

/**
 * Compares a history in order with a history in which only the order differs. The rows must be the same, with three
 * exceptions. A debt is repaid at once, so the order decides which of two grants repays it, and whether credits are
 * revived before they are taken back again; the customer's total credits, usage and debt must still be the same. If
 * another grant repaid the debt, the remaining grants may end sooner. Some credits, at most as many as the other grant
 * repaid, may then have expired in one order and been used in the other. In the days of grace after a slice, one event
 * may end the slice at once (the payment of the next slice, a cancellation) while another takes its credits back; the
 * order decides whether these credits had expired by then.
 */
export function compareRows(where: string, inOrder: GrantRow[], shuffled: GrantRow[]): string[] {
  if (isDeepStrictEqual(inOrder.map(asItStands), shuffled.map(asItStands))) return [];
  if ([...inOrder, ...shuffled].some(hasDebtOrRevival)) {
    const [is, should] = [totalsOf(shuffled), totalsOf(inOrder)];
    if (isDeepStrictEqual(is, should)) return [];
    const most = paidByOthers(inOrder, shuffled);
    const isWithin = (name: 'available' | 'used') => Math.abs(is[name] - should[name]) <= most;
    const isSame = isDeepStrictEqual(spentOrEnded(shuffled), spentOrEnded(inOrder));
    if (isSame && isWithin('available') && isWithin('used')) return [];
    return [`${where}: ${JSON.stringify(is)} in total, ${JSON.stringify(should)} in order`];
  }
  const others = new Map(shuffled.map((grant) => [`${grant.kind} ${grant.name}`, grant]));
  const different = inOrder
    .map((grant) => [grant, others.get(`${grant.kind} ${grant.name}`)] as const)
    .filter(([grant, other]) => !other || !isDeepStrictEqual(asItStands(grant), asItStands(other)))
    .map(([grant, other]) => `${where}: ${JSON.stringify(grant)} is ${JSON.stringify(other)}`);
  return different.length > 0
    ? different
    : [`${where}: there are rows that the history in order does not have`];
}

/** Returns a grant without the debts that it repaid and the credits that were returned to it. */
function asItStands({ row, ...grant }: GrantRow): object {
  const revokedExpired = isEndedInGrace(row) ? undefined : row.revokedExpired;
  return { ...grant, paid: undefined, row: { ...row, revokedExpired } };
}

function isEndedInGrace({ sliceEnd, expiresAt }: GrantRow['row']): boolean {
  const graceMs = Number(expiresAt as Date | null) - Number(sliceEnd as Date | null);
  return expiresAt instanceof Date && graceMs < GRACE_DAYS * DAY_MS;
}

function hasDebtOrRevival({ kind, row }: GrantRow): boolean {
  return kind === 'release' || Number(row.repaid) > 0 || Number(row.owed) > 0;
}

/** Returns the credits that repaid debts in only one of the two histories, or that repaid debts of another grant. */
function paidByOthers(some: GrantRow[], others: GrantRow[]): number {
  const more = (a: GrantRow[], b: GrantRow[]) => {
    const paid = new Map(b.map((grant) => [`${grant.kind} ${grant.name}`, grant.paid]));
    return a.reduce(
      (sum, grant) =>
        sum + Math.max(0, grant.paid - (paid.get(`${grant.kind} ${grant.name}`) ?? 0)),
      0,
    );
  };
  return Math.max(more(some, others), more(others, some));
}

function totalsOf(grants: GrantRow[]): Record<'available' | 'used' | 'owed', number> {
  const [available, consumed, repaid, owed] = ['available', 'consumed', 'repaid', 'owed'].map(
    (name) => sumOf(grants, name),
  );
  return { available, used: consumed - repaid, owed };
}

/**
 * Returns the credits that the customer has, has used or has let expire, each counted once. A revived credit also
 * counts in its ended grant, unless it was taken from both.
 */
function spentOrEnded(grants: GrantRow[]): Record<string, number> {
  const { available, used, owed } = totalsOf(grants);
  const releases = grants.filter(({ kind }) => kind === 'release');
  const twice = sumOf(releases, 'granted') - sumOf(releases, 'revoked');
  return { all: available + used + sumOf(grants, 'expired') - twice, owed };
}

function sumOf(grants: GrantRow[], name: string): number {
  return grants.reduce((total, { row }) => total + Number(row[name]), 0);
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
