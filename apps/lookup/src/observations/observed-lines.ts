import { type DnsLookup, type DnsRecord, type Lookup, octetsText } from '#libs/resolvers';
import { rawDomainText } from '../serializers/whois-body.js';
import { v2Body } from '../serializers/v2-body.js';

/** Which parts of answers an installation stores. */
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
const RECORD_TYPES = ['A', 'AAAA', 'NS', 'MX', 'CNAME', 'TXT', 'SOA'];

/**
 * Returns a registration, or the fact that there is none, in the corpus's format; undefined for answers that are never
 * stored, such as failures.
 */
export function whoisLine(lookup: Lookup, kept: Kept): string | undefined {
  const { outcome, domain, fetchedAt } = lookup;
  const head = { name: domain, at: fetchedAt.toISOString() };
  // The corpus stores nothing if it does not know the name.
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
 * Returns the DNS records of a name in the corpus's format; undefined if no stored type was answered.
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
    // Only NS records prove a registration, because under some top-level domains every name has an address.
    registered: records.some((record) => record.type === 'NS' && record.name === name),
  });
}

/**
 * Returns the value of a record; undefined for a type that is not observed. Only the name's own CNAME record counts;
 * the other records of its target count as records of the name.
 */
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

/** Returns the most detailed port-43 text or, without one, the JSON of the last RDAP server that knew the name. */
function rawText(lookup: Lookup): string | undefined {
  const rdap = lookup.sources.findLast(({ record, raw }) => record !== undefined && raw);
  return rawDomainText(lookup) ?? rdap?.raw;
}
