import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { visibleText } from '../names/folded.js';

/** Texts, lists and objects, named as in the public answer. */
export interface Members {
  [member: string]: string | boolean | string[] | Members | Members[] | undefined;
}

/**
 * The published data of a registration, with the member names of the public answer. Values that
 * change with each query are left out.
 */
export type Registration = Members;

const CONTACT = [
  'handle',
  'name',
  'company',
  'street',
  'city',
  'state',
  'zip_code',
  'country_name',
  'country_code',
  'email_address',
  'phone',
  'fax',
  'mailing_address',
];
const REGISTRAR = [
  'iana_id',
  'registrar_name',
  'whois_server',
  'rdap_server',
  'website_url',
  'email_address',
  'phone_number',
];

/** The contacts of a registration that are people; reverse WHOIS finds their values. */
export const PERSONAL_CONTACTS = [
  'registrant_contact',
  'administrative_contact',
  'technical_contact',
  'billing_contact',
] as const;

const OBJECTS: Readonly<Record<string, readonly string[]>> = {
  dates: ['created', 'created_is_before', 'updated', 'expires', 'expires_published'],
  domain_registrar: REGISTRAR,
  reseller_contact: ['handle', 'name', 'email_address', 'phone'],
  ...Object.fromEntries(PERSONAL_CONTACTS.map((contact) => [contact, CONTACT])),
  abuse_contact: CONTACT,
};
const TEXTS = ['create_date', 'update_date', 'expiry_date', 'domain_handle'];
const FLAGS = ['secure_dns', 'privacy_service', 'contacts_not_kept'];
/** Lists whose order has no meaning. */
const SETS = ['name_servers', 'domain_status'];
const TEXT_LENGTH_MAX = 1_000;
/**
 * The maximum length of a registration as JSON, many times the usual length. The texts of a longer registration are cut
 * to `SHORT_TEXT_LENGTH_MAX`, because searches read hundreds of registrations at a time.
 */
const LENGTH_MAX = 64 * 1024;
const SHORT_TEXT_LENGTH_MAX = 100;
const SET_SIZE_MAX = 100;

/**
 * Extracts the registration itself from a public answer, without members that describe the sources and without values
 * that change at each query. Removes control, invisible and bidirectional characters from texts, and cuts long texts.
 */
export function registrationOf(body: Readonly<Record<string, unknown>>): Registration {
  const registration = withTexts(body, TEXT_LENGTH_MAX);
  const isLong = JSON.stringify(registration).length > LENGTH_MAX;
  return isLong ? withTexts(body, SHORT_TEXT_LENGTH_MAX) : registration;
}

function withTexts(body: Readonly<Record<string, unknown>>, lengthMax: number): Registration {
  const textOf = (value: unknown) => shownText(value, lengthMax);
  const registration: Registration = {};
  for (const name of TEXTS) setIfKnown(registration, name, textOf(body[name]));
  for (const name of FLAGS) if (typeof body[name] === 'boolean') registration[name] = body[name];
  for (const name of SETS) setIfKnown(registration, name, setOf(name, body[name], textOf));
  for (const [name, members] of Object.entries(OBJECTS)) {
    setIfKnown(registration, name, objectOf(body[name], members, textOf));
  }
  setIfKnown(registration, 'redaction', redactionOf(body.redaction, textOf));
  return registration;
}

/**
 * Returns the first 128 bits of a registration's hash, in the form of a UUID. The hash is that of the canonical form
 * (RFC 8785), so it is equal for registrations with the same meaning.
 */
export function stateOf(registration: Registration): string {
  const meaning = { ...registration };
  for (const name of SETS) {
    const values = registration[name];
    if (Array.isArray(values)) meaning[name] = (values as string[]).toSorted();
  }
  const hex = hash('sha256', canonicalize(meaning)!);
  // The hash is formatted as a UUID, which PostgreSQL stores in 16 bytes.
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => hex.slice(from, to))
    .join('-');
}

/** Returns the members that differ in meaning between two registrations, in alphabetical order. */
export function differingMembers(before: Registration, after: Registration): string[] {
  const [was, is] = [before, after].map(withPlainSets);
  const meaning = (registration: Registration, name: string) =>
    registration[name] === undefined ? undefined : stateOf({ [name]: registration[name] });
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].filter((name) => meaning(was, name) !== meaning(is, name)).toSorted();
}

/**
 * Returns a stored record with its lists as they are stored now. Earlier releases also stored what files add to the
 * values, and a record without these additions is not another one.
 */
export function withPlainSets(record: Registration): Registration {
  const plain = { ...record };
  for (const name of SETS) plain[name] = setOf(name, record[name], (one) => one as string);
  return plain;
}

function setIfKnown(to: Members, name: string, value: Members[string]): void {
  if (value !== undefined) to[name] = value;
}

type TextOf = (value: unknown) => string | undefined;

function shownText(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  return visibleText(value.slice(0, lengthMax)) || undefined;
}

/** What files add to the values in our own answers: the final dot of a host, and the page about a status. */
const ADDITIONS: Readonly<Record<string, RegExp>> = {
  name_servers: /\.$/,
  domain_status: / *\(?https?:\/\/.*$/,
};

function setOf(name: string, value: unknown, textOf: TextOf): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const plain = (one: unknown) => textOf(one)?.toLowerCase().replace(ADDITIONS[name], '');
  const texts = value.slice(0, SET_SIZE_MAX).map((one) => plain(one) || undefined);
  const known = [...new Set(texts.filter((one) => one !== undefined))];
  return known.length > 0 ? known : undefined;
}

function objectOf(value: unknown, members: readonly string[], textOf: TextOf): Members | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const object: Members = {};
  for (const name of members) {
    const member = (value as Record<string, unknown>)[name];
    setIfKnown(object, name, typeof member === 'boolean' ? member : textOf(member));
  }
  return Object.keys(object).length > 0 ? object : undefined;
}

/**
 * Returns the entries about withheld values, sorted by path, without the source's wording of the reason; undefined if
 * there are none.
 */
function redactionOf(value: unknown, textOf: TextOf): Members[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const known = value
    .slice(0, SET_SIZE_MAX)
    .map((one) => objectOf(one, ['path', 'state', 'basis'], textOf))
    .filter((one) => one?.path !== undefined) as Members[];
  const sorted = known.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
  return sorted.length > 0 ? sorted : undefined;
}
