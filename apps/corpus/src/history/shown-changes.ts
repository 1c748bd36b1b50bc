import type { ValueChange } from '../records/record-changes.js';

/** The members of our own answers that repeat the value of other members, with the names of those. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  'dates.created': ['create_date'],
  'dates.updated': ['update_date'],
  'dates.expires': ['expiry_date'],
  'dates.expires_published': ['expiry_date'],
};
const MAILING_ADDRESS = /\.mailing_address$/;
const ADDRESS = ['street', 'city', 'state', 'zip_code', 'country_name'];

/**
 * Returns the changes of a record without those of members that repeat the value of other changed members, so that
 * each change is listed, and paid for, once. Of a change of the time within a day, only the exact time is a change.
 */
export function shownChanges(changes: readonly ValueChange[]): ValueChange[] {
  const changed = new Set(changes.map(({ path }) => path));
  return changes.filter(({ path }) => !repeatedBy(path).some((other) => changed.has(other)));
}

function repeatedBy(path: string): readonly string[] {
  if (!MAILING_ADDRESS.test(path)) return REPEATED[path] ?? [];
  return ADDRESS.map((member) => path.replace(MAILING_ADDRESS, `.${member}`));
}
