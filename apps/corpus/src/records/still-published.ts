import { type Members, PERSONAL_CONTACTS, type Registration } from './registration.js';

/**
 * Returns `known`, a record of some sources, without the personal data that the newest record of
 * all sources no longer publishes. Otherwise, another source would disclose values that are now
 * withheld.
 */
export function stillPublished(known: Registration, newest: Registration): Registration {
  const record = { ...known };
  for (const contact of PERSONAL_CONTACTS) {
    const [was, is] = [
      known[contact] as Members | undefined,
      newest[contact] as Members | undefined,
    ];
    if (!was) continue;
    const left = Object.entries(was).filter(([member, value]) => is?.[member] === value);
    if (left.length > 0) record[contact] = Object.fromEntries(left);
    else delete record[contact];
  }
  return record;
}
