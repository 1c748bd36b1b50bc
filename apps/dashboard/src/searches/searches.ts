import {
  ASN_WHOIS,
  AVAILABILITY,
  DNS_HISTORICAL,
  DNS_LIVE,
  DNS_PTR,
  DNS_REVERSE,
  IP_WHOIS,
  type Operation,
  REPUTATION,
  SUBDOMAINS,
  TYPOS,
  TYPO_SCORES,
  WHOIS_HISTORY,
  WHOIS_LIVE,
  WHOIS_REVERSE,
} from '#libs/contracts';
import { day } from '../amounts.js';
import { memberWords } from '../pages/shown-text.js';
import type { Column, Item, Search } from './search.js';

const seen: Column = ['Observed', (record) => stretch(record.first_seen, record.last_seen)];
const name: Column = ['Name', 'domain_name'];
const source: Column = ['Source', 'source'];
const kind: Column = ['Kind', (record) => inWords(record.kind)];

export const SEARCHES: readonly Search[] = [
  search(WHOIS_HISTORY, 'WHOIS history', {
    records: [
      seen,
      ['Registrar', 'domain_registrar.registrar_name'],
      ['Registrant', ({ registrant_contact: contact }) => holderOf(contact)],
      ['Name servers', 'name_servers'],
      ['Expires', 'expiry_date'],
      source,
    ],
    changes: [
      ['Changed', 'changed_at'],
      ['Field', ({ path }) => memberWords(String(path))],
      ['Before', 'before'],
      ['After', 'after'],
      source,
    ],
  }),
  search(DNS_HISTORICAL, 'DNS history', {
    snapshots: [
      ['Observed', 'seen_at'],
      ['Records', ({ dns_records: records }) => (records as Item[]).map(recordText)],
    ],
    timeline: [['Type', 'type'], ['Record', valueOf], seen, ['Ended', 'ended_at'], source],
  }),
  search(DNS_REVERSE, 'Reverse DNS', {
    domains: [name, ['Type', 'type'], ['Points to', 'value'], ['Address', 'ip_address'], seen],
    addresses: [
      ['Address', 'ip_address'],
      ['Names', 'names'],
    ],
  }),
  search(WHOIS_REVERSE, 'Reverse WHOIS', {
    domains: [
      name,
      ['Registrant', ({ registrant_contact: contact, ...mini }) => holderOf(contact ?? mini)],
      ['Registered', 'create_date'],
      ['Expires', 'expiry_date'],
      seen,
      source,
    ],
  }),
  search(SUBDOMAINS, 'Subdomains', {
    subdomains: [
      ['Host', 'subdomain'],
      ['State', ({ status }) => inWords(status)],
      seen,
      ['Last address', 'last_resolved'],
      ['Wildcard', 'is_wildcard'],
    ],
    wildcards: [
      ['Zone', 'name'],
      ['Addresses', 'addresses'],
    ],
  }),
  search(TYPOS, 'Typos and look-alikes', {
    domains: [
      name,
      ['Similarity', 'score'],
      kind,
      ['First seen', 'first_seen'],
      ['Registrar', 'registrar'],
      ['Mail server', 'mx'],
    ],
  }),
  search(TYPO_SCORES, 'Score a list of names', {
    domains: [name, ['Similarity', 'score'], kind, ['Reasons', ({ reasons }) => inWords(reasons)]],
  }),
  search(REPUTATION, 'Reputation', {
    signals: [
      ['Signal', ({ code }) => memberWords(String(code))],
      ['Points', 'weight'],
      ['Evidence', 'evidence'],
      ['Confidence', 'confidence'],
    ],
  }),
];

export const LIVE_LOOKUPS: readonly Search[] = [
  search(WHOIS_LIVE, 'WHOIS'),
  search(DNS_LIVE, 'DNS'),
  search(DNS_PTR, 'Host names of an address'),
  search(AVAILABILITY, 'Availability'),
  search(IP_WHOIS, 'IP WHOIS'),
  search(ASN_WHOIS, 'AS numbers'),
];

const ALL = [...SEARCHES, ...LIVE_LOOKUPS];

/** Finds a search; undefined for an operation without a page. */
export const searchOf = (operation: string) => ALL.find(({ row }) => row.name === operation);

export const searchedRows: readonly Operation[] = ALL.map(({ row }) => row);

function search(row: Operation, title: string, tables: Search['tables'] = {}): Search {
  return { row, title, tables };
}

/** Returns fixed words of answers, such as `looks_the_same`, in readable form. */
function inWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inWords);
  return typeof value === 'string' ? memberWords(value) : value;
}

function stretch(from: unknown, to: unknown): string {
  return [from, to].map((time) => (typeof time === 'string' ? day(time) : '?')).join(' to ');
}

function holderOf(contact: unknown): unknown {
  const { company, company_name, name: person, email } = (contact ?? {}) as Item;
  return company ?? company_name ?? person ?? email;
}

const recordText = (record: Item) => `${String(record.type)} ${String(valueOf(record))}`;

function valueOf({ address, target, exchange, priority, text }: Item): unknown {
  return address ?? target ?? text ?? `${String(priority)} ${String(exchange)}`;
}
