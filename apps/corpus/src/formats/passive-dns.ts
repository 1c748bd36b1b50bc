import type { Observation } from '../records/observation.js';
import { observationOf, parsedLine } from '../observations/observation-lines.js';

/**
 * Reads a line of JSON in the Common Output Format of passive DNS (draft-dulaunoy-dnsop-passive-dns-cof): a record that
 * sensors saw. If `rdata` has several values, the first is taken.
 * @returns undefined for an invalid line.
 */
export function passiveObservation(line: string): Observation | undefined {
  const { rrname, rrtype, rdata, time_first, time_last, zone_time_first, zone_time_last } =
    parsedLine(line);
  if (typeof rrname !== 'string') return undefined;
  const value: unknown = Array.isArray(rdata) ? rdata[0] : rdata;
  return observationOf({
    kind: 'passive',
    name: rrname.replace(/\.$/, ''),
    at: time_first ?? zone_time_first,
    until: time_last ?? zone_time_last,
    type: rrtype,
    value,
  });
}
