import { isComparable } from '#libs/contracts';
import { Turns } from '#libs/platform';
import { type Members, type Registration, withPlainSets } from './registration.js';

export interface GivenRecord {
  record: Registration;
  /** The servers in the form of `answeredSources`, joined by commas; empty if they are unknown. */
  answeredBy: string;
}

/** A value that differs; null on the side on which it was not published. */
export interface ValueChange {
  /** The dot path of the member. */
  path: string;
  before: string | null;
  after: string | null;
}

interface Given extends GivenRecord {
  values: ReadonlyMap<string, string>;
  /** The changes that other servers have shown since this record, by path: each from the first value to the last. */
  since: Map<string, ValueChange>;
}

/** Fields that may differ because of what an installation stores, rather than because the published data differs. */
const CONTACT = /^(registrant|administrative|technical|billing|reseller|abuse)_contact\./;
const HIDDEN_PATHS = /^(contacts_not_kept$|redaction)/;

/** The number of records compared per turn of the event loop. Comparing them takes some milliseconds. */
const RECORDS_OF_TURN = 20;
/** All comparisons share these turns, because there may be many names with few records each. */
const turns = new Turns(RECORDS_OF_TURN);

/**
 * Finds, for each record, the values that have changed since the earlier records. A value is compared with the previous
 * record if the same servers gave both or `isComparable` permits it, otherwise with the last record of the same
 * servers. A change that other servers have shown in between is not repeated. Many records take a second, so other
 * requests are answered in between. @param records the records, oldest first.
 */
export async function changesByRecord(records: readonly GivenRecord[]): Promise<ValueChange[][]> {
  const lastOf = new Map<string, Given>();
  const all: ValueChange[][] = [];
  let previous: Given | undefined;
  for (const one of records) {
    await turns.spend();
    const values = valuesOf(withPlainSets(one.record));
    const now = { ...one, values, since: new Map<string, ValueChange>() };
    const changes = changesAt(now, previous, lastOf.get(now.answeredBy));
    lastOf.set(now.answeredBy, now);
    previous = now;
    for (const known of lastOf.values()) {
      if (known === now) continue;
      for (const change of changes) {
        const { before } = known.since.get(change.path) ?? change;
        known.since.set(change.path, { ...change, before });
      }
    }
    all.push(changes);
  }
  return all;
}

function changesAt(now: Given, previous: Given | undefined, own: Given | undefined): ValueChange[] {
  const known = [previous, own, now].flatMap((one) => [...(one?.values.keys() ?? [])]);
  const paths = [...new Set(known)].filter((path) => !HIDDEN_PATHS.test(path)).toSorted();
  return paths.flatMap((path) => {
    const isWithPrevious = previous !== undefined && isFair(path, previous, now);
    const base = isWithPrevious ? previous : own;
    if (!base || (CONTACT.test(path) && [base, now].some(hasNoContacts))) return [];
    const [was, is] = [base, now].map(({ values }) => values.get(path) ?? null);
    const shown = isWithPrevious ? undefined : base.since.get(path);
    // The servers still publish the value of their previous record, so the change that other servers showed in between
    // was undone.
    const isBack = shown !== undefined && was === is && shown.before === was;
    if (isBack) return [{ path, before: shown.after, after: is }];
    return was === is || shown ? [] : [{ path, before: was, after: is }];
  });
}

/**
 * True if a value can be compared. A server may be unable to publish a value that another one publishes, so its absence
 * says nothing.
 */
function isFair(path: string, one: Given, other: Given): boolean {
  if (one.answeredBy === other.answeredBy) return true;
  const [before, after] = [one, other].map(({ answeredBy }) =>
    answeredBy.split(',').filter(Boolean),
  );
  return one.values.has(path) && other.values.has(path) && isComparable(path, before, after);
}

const hasNoContacts = ({ record }: GivenRecord) => record.contacts_not_kept === true;

/**
 * Returns the values by their dot paths. A list of strings is one value and is sorted, because its
 * order has no meaning. Lists of objects are left out.
 */
function valuesOf(members: Members, above = ''): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(members)) {
    const path = `${above}${name}`;
    if (value === undefined) continue;
    if (Array.isArray(value)) {
      if (value.every((one) => typeof one === 'string')) {
        values.set(path, value.toSorted().join(', '));
      }
    } else if (typeof value === 'object') {
      for (const [below, text] of valuesOf(value, `${path}.`)) values.set(below, text);
    } else values.set(path, String(value));
  }
  return values;
}
