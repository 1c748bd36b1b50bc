import { createHash } from 'node:crypto';
import { type MonitorChangeType, answeredSources } from '#libs/contracts';

/**
 * A name's state in a check: values by path, with digests in place of personal values. A path that this check did not
 * see is missing.
 */
export type NameState = Readonly<Record<string, readonly string[]>>;

/** Record types of a watched name. SOA is not among them, because its serial number changes with every other record. */
export const WATCHED_TYPES = ['A', 'AAAA', 'NS', 'MX', 'TXT', 'CNAME', 'CAA'] as const;

const CONTACTS = ['registrant', 'administrative', 'technical', 'billing'] as const;
const CONTACT_MEMBERS = ['name', 'company', 'country_code', 'email_address', 'phone'] as const;
const MARK_DIGITS = 8;
const PRIVACY_PATH = 'privacy_service';
const REGISTRAR_PATH = 'domain_registrar.registrar_name';
const DNSSEC_PATH = 'secure_dns';
export const REGISTERED_PATH = 'domain_registered';
export const EXPIRY_PATH = 'expiry_date';
const NAME_SERVERS_PATH = 'name_servers';
/** The path under which a state stores which servers answered. It is never reported itself. */
export const SOURCES_PATH = 'sources';

type Body = Readonly<Record<string, unknown>>;

interface SeenRecord {
  type: string;
  raw_text: string;
  address?: string;
  target?: string;
  priority?: number;
  exchange?: string;
  strings?: string[];
  flags?: number;
  tag?: string;
  value?: string;
}

/** Reads the state from a DNS answer. A type that could not be queried is missing. */
export function dnsStateOf(body: Body): NameState {
  const records = (body.dns_records ?? []) as SeenRecord[];
  const errors = (body.errors ?? {}) as Record<string, string>;
  return Object.fromEntries(
    WATCHED_TYPES.filter((type) => !(type in errors)).map((type) => [
      `dns.${type}`,
      sorted(records.filter((record) => record.type === type).map(valueOf)),
    ]),
  );
}

function valueOf(record: SeenRecord): string {
  const { address, target, exchange, priority, strings, tag, flags, value, raw_text } = record;
  if (exchange !== undefined) return `${priority} ${exchange}`.toLowerCase();
  if (strings !== undefined) return strings.join('');
  if (tag !== undefined) return `${flags} ${tag} ${value}`;
  return (address ?? target)?.toLowerCase() ?? raw_text;
}

/**
 * Reads the published registration from a WHOIS answer. @param isPartial whether a source did not answer, so that
 * missing data may still be published.
 */
export function whoisStateOf(body: Body, isPartial: boolean): NameState {
  const registered = body.domain_registered;
  if (registered !== 'yes') return { [REGISTERED_PATH]: textsOf(registered) };
  const registrar = (body.domain_registrar ?? {}) as Body;
  const contacts = CONTACTS.flatMap((contact): [string, unknown][] => {
    const published = (body[`${contact}_contact`] ?? {}) as Body;
    return CONTACT_MEMBERS.map((member) => {
      const path = `${contact}_contact.${member}`;
      return [path, textsOf(published[member]).map((value) => markOf(path, value))];
    });
  });
  const all: [string, unknown][] = [
    [REGISTERED_PATH, registered],
    [REGISTRAR_PATH, registrar.registrar_name],
    ...contacts,
    [NAME_SERVERS_PATH, body.name_servers],
    ['domain_status', body.domain_status],
    [EXPIRY_PATH, body.expiry_date],
    ['create_date', body.create_date],
    [DNSSEC_PATH, body.secure_dns],
    [PRIVACY_PATH, body.privacy_service],
  ];
  const read = all.map(([path, value]) => [path, textsOf(value)] as const);
  return {
    ...Object.fromEntries(isPartial ? read.filter(([, values]) => values.length > 0) : read),
    ...sourcesOf(body),
  };
}

/** Returns the kinds of servers that answered; empty if the answer does not name them. */
function sourcesOf({ provenance }: Body): NameState {
  const sources = answeredSources((provenance as Body | undefined)?.sources);
  return sources.length === 0 ? {} : { [SOURCES_PATH]: sources };
}

/**
 * Returns the stored form of a personal value: a digest that changes with the value and is too short to reveal it. (The
 * value may have to be hidden at any time.)
 */
const markOf = (path: string, value: string) =>
  createHash('sha256').update(`${path} ${value}`).digest('hex').slice(0, MARK_DIGITS);

const isOfPerson = (path: string) => path.includes('_contact.');

/** Returns the values as they are reported. Only the presence of personal values is reported. */
export function toldValues(path: string, values: readonly string[]): string[] {
  return isOfPerson(path) && values.length > 0 ? ['published'] : [...values];
}

const FOLDED = [NAME_SERVERS_PATH, 'domain_status'];

export function isSame(path: string, one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [meaningOf(path, one), meaningOf(path, other)];
  return a.length === b.length && a.every((value, place) => value === b[place]);
}

/** Returns the values without differences in spelling. */
function meaningOf(path: string, values: readonly string[]): readonly string[] {
  if (FOLDED.includes(path)) return sorted(values.map((value) => value.toLowerCase()));
  if (path === REGISTRAR_PATH) {
    return values.map((value) => value.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''));
  }
  // A registry that no longer says "unsigned" has changed nothing.
  return path === DNSSEC_PATH ? values.filter((value) => value !== 'false') : values;
}

const TYPES: Readonly<Record<string, MonitorChangeType>> = {
  [REGISTRAR_PATH]: 'registrar',
  [NAME_SERVERS_PATH]: 'name_servers',
  domain_status: 'status',
  [EXPIRY_PATH]: 'expiry',
  create_date: 'created',
  [DNSSEC_PATH]: 'dnssec',
  [PRIVACY_PATH]: 'privacy',
};

/** Returns the kind of change if a path's values differ. */
export function changeTypeOf(path: string, after: readonly string[]): MonitorChangeType {
  if (path.startsWith('dns.')) return `dns_${path.slice(4).toLowerCase()}` as MonitorChangeType;
  if (path === REGISTERED_PATH) {
    if (after[0] === 'yes') return 'registered';
    return after[0] === 'no' ? 'dropped' : 'registration';
  }
  if (path.startsWith('registrant_contact.')) return 'registrant';
  return TYPES[path] ?? 'contacts';
}

function textsOf(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const texts = Array.isArray(value) ? value : [value];
  return texts.map(String);
}

const sorted = (values: readonly string[]) => [...new Set(values)].toSorted();
