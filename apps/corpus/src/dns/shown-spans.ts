import { DNS_TYPES } from '#libs/resolvers';
import { KEPT_TYPES, bitOf } from './dns-type.js';

/** How long a passive record counts as existing after it was last seen. */
export const PASSIVE_DAYS = 30;

const BITS = KEPT_TYPES.map((type) => `when ${DNS_TYPES[type]} then ${bitOf(DNS_TYPES[type])}`);

/**
 * Returns SQL that is true for a span that one of the given sources has seen: the source of its row, or any source that
 * queried the type while the record existed. A span contains the sightings of all sources, regardless of their order of
 * arrival.
 * @param span alias of `dns_span`.
 * @param sourceIds the parameter with their ids, such as `$3`.
 */
export function isSeenBy(span: string, sourceIds: string): string {
  return `(${span}.source_id = any(${sourceIds}::smallint[])
    or not ${span}.is_passive and exists (select ${sightingsOf(span, sourceIds)}))`;
}

/** Returns SQL for the id of one of the given sources that have seen a span. @param span as in `isSeenBy`. */
export function seeingSource(span: string, sourceIds: string): string {
  return `case when ${span}.source_id = any(${sourceIds}::smallint[]) then ${span}.source_id
    else (select min(g.source_id) ${sightingsOf(span, sourceIds)}) end`;
}

/**
 * Returns SQL for the last time at which one of the sources saw the record of a span; null if none of them saw the
 * record. For a passive span, this is its end; the end of another span is the first time without the record. @param
 * span as in `isSeenBy`.
 */
export function lastSeen(span: string, sourceIds: string): string {
  return `case when ${span}.is_passive then ${span}.until
    else (select g.observed_at ${sightingsOf(span, sourceIds)} order by g.observed_at desc limit 1) end`;
}

function sightingsOf(span: string, sourceIds: string): string {
  return `from dns_sighting g where g.domain_key = ${span}.domain_key and g.name = ${span}.name
    and g.host = ${span}.host and g.observed_at >= ${span}.first_seen
    and (${span}.until is null or g.observed_at < ${span}.until)
    and g.types & (case ${span}.rtype ${BITS.join(' ')} else 0 end) <> 0
    and g.source_id = any(${sourceIds}::smallint[])`;
}
