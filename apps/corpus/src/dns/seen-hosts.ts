import { LOOKUPS_SOURCE } from '../sources/source.js';

/**
 * Returns SQL that is true for a sighting that shows that there is such a host. That our own lookups found no address
 * does not show it: they may have looked for it only because a record of another name, which anybody can publish, leads
 * to it.
 * @param sighting alias of `host_sighting`.
 */
export const isSeenHost = (sighting: string) =>
  `(${sighting}.has_resolved is not false or ${sighting}.source_id is distinct from ${LOOKUPS_SOURCE})`;
