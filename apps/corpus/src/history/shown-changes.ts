import type { ValueChange } from '../records/record-changes.js';

/** The members of our own answers that repeat the values of other members, each with the names of those members. */
const REPEATED: Readonly<Record<string, readonly string[]>> = {
  'dates.created': ['create_date'],
  'dates.updated': ['update_date'],
  'dates.expires': ['expiry_date'],
  'dates.expires_published': ['expiry_date'],
};
const MAILING_ADDRESS = /\.mailing_address$/;
const ADDRESS = ['street', 'city', 'state', 'zip_code', 'country_name'];

/**
 * Leaves out changes to members that only repeat other changed members, so that each change to a record is listed, and
 * paid for, once. If a time changes within the same day, only the exact time counts as a change.
 */
export function shownChanges(changes: readonly ValueChange[]): ValueChange[] {
  const changed = new Set(changes.map(({ path }) => path));
  return changes.filter(({ path }) => !repeatedBy(path).some((other) => changed.has(other)));
}

function repeatedBy(path: string): readonly string[] {
  if (!MAILING_ADDRESS.test(path)) return REPEATED[path] ?? [];
  return ADDRESS.map((member) => path.replace(MAILING_ADDRESS, `.${member}`));
}
