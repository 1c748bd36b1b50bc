import { octetsText } from '#libs/resolvers';
import type { Observation } from '../records/observation.js';
import { observationOf, parsedLine } from '../observations/observation-lines.js';

/** The maximum number of values of a line; further ones are left out. */
const VALUES_MAX = 200;
/** The strings of a TXT record as in a zone file (RFC 1035 §5.1). */
const QUOTED_STRINGS = /^"(?:[^"\\]|\\.)*"(?:\s+"(?:[^"\\]|\\.)*")*$/s;

/**
 * Reads a line of JSON in the Common Output Format of passive DNS (draft-dulaunoy-dnsop-passive-dns-cof): a record that
 * sensors saw, or several that differ only in `rdata`. Values that cannot be read are left out.
 * @returns an empty list for an invalid line.
 */
export function passiveObservations(line: string): Observation[] {
  const { rrname, rrtype, rdata, time_first, time_last, zone_time_first, zone_time_last } =
    parsedLine(line);
  if (typeof rrname !== 'string') return [];
  const values: unknown[] = Array.isArray(rdata) ? rdata.slice(0, VALUES_MAX) : [rdata];
  const seen = {
    kind: 'passive',
    name: rrname.replace(/\.$/, ''),
    at: time_first ?? zone_time_first,
    until: time_last ?? zone_time_last,
    type: rrtype,
  };
  return values.flatMap((value) => {
    const isText = rrtype === 'TXT' && typeof value === 'string';
    return observationOf({ ...seen, value: isText ? unquoted(value) : value }) ?? [];
  });
}

/**
 * Joins the strings of a TXT record, and replaces escaped octets, as in our own answers. A text that is not quoted as in
 * a zone file stays as written.
 */
function unquoted(text: string): string {
  if (!QUOTED_STRINGS.test(text)) return text;
  const octets = Buffer.from(text, 'utf8').toString('latin1');
  const strings = [...octets.matchAll(/"((?:[^"\\]|\\.)*)"/gs)].map(([, string]) => string);
  return octetsText(
    strings
      .join('')
      .replace(/\\(\d{3}|.)/gs, (_, escaped: string) =>
        escaped.length === 3 ? String.fromCharCode(Number(escaped) & 0xff) : escaped,
      ),
  );
}
