import { domainToUnicode } from 'node:url';
import { type FreshAnswer, isOutcomeCharged } from '#libs/contracts';
import { DNS_TYPES, type DnsType } from '#libs/resolvers';
import type { ChunkFindings } from './chunk-answers.js';

/** Converts the corpus's records of a name to the result of a lookup. */
export function findingsOf(known: FreshAnswer): ChunkFindings {
  const { index, name, observedAt, records } = known;
  const outcome = records?.length === 0 ? 'empty' : 'delivered';
  const body = {
    status: true,
    domain_name: name,
    query_time: observedAt.slice(0, 19).replace('T', ' '),
    ...membersOf(known),
  };
  return { index, observedAt, outcome, body, isCharged: isOutcomeCharged(outcome) };
}

function membersOf({ name, record, records = [] }: FreshAnswer): object {
  if (record) return { domain_unicode: domainToUnicode(name), domain_registered: 'yes', ...record };
  const types = Object.entries(Object.groupBy(records, ({ type }) => type));
  return {
    // A name without records may or may not exist in the DNS; the corpus does not store whether it does.
    ...(records.length > 0 && { rcode: 'noerror' }),
    dns_types: Object.fromEntries(types.map(([type, of = []]) => [type, of.length])),
    dns_records: records.map((one) => recordOf(name, one)),
    errors: {},
  };
}

/** Returns a record without its TTL, because it is unknown how long the record may still be cached. */
function recordOf(name: string, { type, value }: { type: string; value: string }): object {
  const { text, ...data } = dataOf(type, value);
  const type_code = DNS_TYPES[type as DnsType];
  return { name, type, type_code, raw_text: `${name}.\tIN\t${type}\t${text}`, ...data };
}

/**
 * Returns the members that depend on the type of a record, and its data as `dig` prints it. The
 * corpus does not store the numbers of an SOA record.
 */
function dataOf(type: string, value: string): { text: string; [member: string]: unknown } {
  const [first, second = ''] = value.split(' ');
  switch (type) {
    case 'NS':
    case 'CNAME':
      return { text: dotted(value), target: value };
    case 'MX':
      return { text: `${first} ${dotted(second)}`, priority: Number(first), exchange: second };
    case 'TXT':
      return { text: `"${value.replace(/["\\]/g, String.raw`\$&`)}"`, strings: [value] };
    case 'SOA':
      return { text: `${dotted(first)} ${dotted(second)}`, mname: first, rname: second };
    default:
      return { text: value, address: value };
  }
}

const dotted = (name: string) => (name === '.' ? '.' : `${name}.`);
