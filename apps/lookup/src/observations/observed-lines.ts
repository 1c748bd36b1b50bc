import { type DnsLookup, type DnsRecord, type Lookup, octetsText } from '#libs/resolvers';
import { rawDomainText } from '../serializers/whois-body.js';
import { v2Body } from '../serializers/v2-body.js';

/** The answers that this installation stores. */
export const KEPT = ['all', 'no_contacts', 'none'] as const;
export type Kept = (typeof KEPT)[number];

const NO_SECTIONS = new Set<never>();
const CONTACTS = [
  'reseller_contact',
  'registrant_contact',
  'administrative_contact',
  'technical_contact',
  'billing_contact',
  'abuse_contact',
];
/** Record types whose history is stored. */
const RECORD_TYPES = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SOA'];

/** A registration in the corpus's format; undefined for answers that are never stored, such as failures. */
export function whoisLine(lookup: Lookup, kept: Kept): string | undefined {
  const { outcome, domain, fetchedAt } = lookup;
  const head = { name: domain, at: fetchedAt.toISOString() };
  // This stores nothing for a name that the corpus does not know.
  if (outcome === 'not_registered') return JSON.stringify({ kind: 'gone', ...head });
  if (outcome !== 'delivered' && outcome !== 'partial') return undefined;
  const serving = { servedFrom: 'live', ageSeconds: 0 } as const;
  const record = v2Body(lookup, serving, NO_SECTIONS);
  if (kept === 'no_contacts') {
    for (const contact of CONTACTS) delete record[contact];
    record.contacts_not_kept = true;
  }
  return JSON.stringify({
    kind: 'whois',
    ...head,
    complete: outcome === 'delivered',
    answered_by: lookup.sources.map(({ role, protocol, outcome: how }) => ({
      role,
      protocol,
      outcome: how,
    })),
    record,
    raw: kept === 'all' ? rawText(lookup) : undefined,
  });
}

/**
 * The records of a registrable name in the corpus's format. Host names that customers request are not stored.
 * @param types the requested record types.
 */
export function dnsLine(
  { name, records, errors, rcode }: DnsLookup,
  types: readonly string[],
  at: Date,
): string | undefined {
  if (rcode === undefined) return undefined;
  const answered = types.filter((type) => RECORD_TYPES.includes(type) && !(type in errors));
  if (answered.length === 0) return undefined;
  return JSON.stringify({
    kind: 'dns',
    name,
    at: at.toISOString(),
    types: answered,
    records: records.flatMap((record) => {
      const value = valueOf(record, name);
      return value === undefined ? [] : [{ type: record.type, value }];
    }),
    // Under some top-level domains every name has an address.
    registered: records.some((record) => record.type === 'NS' && record.name === name),
  });
}

/** A CNAME record belongs to the name itself; the records of its target count as the name's records. */
function valueOf(record: DnsRecord, name: string): string | undefined {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.address;
    case 'CNAME':
      return record.name === name ? record.target : undefined;
    case 'NS':
      return record.target;
    case 'MX':
      return `${record.priority} ${record.exchange}`;
    case 'TXT':
      return octetsText(record.strings.join(''));
    case 'SOA':
      // The serial number changes with each edit of the zone.
      return `${record.mname} ${record.rname}`;
    default:
      return undefined;
  }
}

/** The most detailed text of port 43, or the JSON of the last RDAP server that knew the name. */
function rawText(lookup: Lookup): string | undefined {
  const rdap = lookup.sources.findLast(({ record, raw }) => record !== undefined && raw);
  return rawDomainText(lookup) ?? rdap?.raw;
}
