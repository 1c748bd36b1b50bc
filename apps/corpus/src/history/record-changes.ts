import type { HistoricChange } from '#libs/contracts';
import type { Members, Registration } from '../records/registration.js';

/** A record and when it was first seen, with the name of its source. */
export interface DatedRecord {
  at: Date;
  record: Registration;
  source: string;
}

/** Differences in these fields come from what an installation stores, not from what was published. */
const CONTACT = /^(registrant|administrative|technical|billing|reseller|abuse)_contact\./;
const HIDDEN_PATHS = /^(contacts_not_kept$|redaction)/;

/** The changes from each record to the next, the newest first. @param records the oldest first. */
export function recordChanges(records: readonly DatedRecord[]): HistoricChange[] {
  return records
    .slice(1)
    .map((record, place) => changesBetween(records[place], record))
    .toReversed()
    .flat();
}

function changesBetween(older: DatedRecord, newer: DatedRecord): HistoricChange[] {
  const [before, after] = [valuesOf(older.record), valuesOf(newer.record)];
  const isContactKept = [older, newer].every(({ record }) => record.contacts_not_kept !== true);
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths
    .filter((path) => before.get(path) !== after.get(path))
    .filter((path) => !HIDDEN_PATHS.test(path) && (isContactKept || !CONTACT.test(path)))
    .map((path) => ({
      changed_at: newer.at.toISOString(),
      path,
      before: before.get(path) ?? null,
      after: after.get(path) ?? null,
      source: newer.source,
    }));
}

/** Every value by its dot path; the members of a set are sorted, since their order has no meaning. */
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
