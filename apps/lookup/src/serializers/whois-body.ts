import type { Contact, Lookup, RegistrationRecord, Registrar, SourceAnswer } from '#libs/resolvers';

export type Json = Record<string, unknown>;

export interface CommonBody {
  status: true;
  domain_name: string;
  query_time: string;
  whois_server?: string;
  domain_registered: 'yes' | 'no' | 'restricted';
  create_date?: string;
  update_date?: string;
  expiry_date?: string;
}

/** Returns the first members of an answer. The outcome must be one that is answered with status 200. */
export function commonBody(lookup: Lookup): CommonBody {
  return {
    status: true,
    domain_name: lookup.domain,
    query_time: queryTime(lookup.fetchedAt),
    whois_server: leadingSource(lookup)?.server,
    domain_registered: registered(lookup),
    ...legacyDates(lookup.record),
  };
}

/** Returns `YYYY-MM-DD HH:mm:ss` in UTC. */
export function queryTime(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}

/** Returns the dates as `YYYY-MM-DD`; the second version has exact times in `dates`. */
function legacyDates(record: RegistrationRecord | undefined) {
  return {
    create_date: record?.created?.iso.slice(0, 10),
    update_date: record?.updated?.iso.slice(0, 10),
    expiry_date: record?.expires?.iso.slice(0, 10),
  };
}

/** Returns the registrar with the first version's keys; undefined if nothing is published. */
export function registrarBody(registrar: Registrar | undefined): Json | undefined {
  return published({
    iana_id: registrar?.ianaId,
    registrar_name: registrar?.name ?? registrar?.organization,
    whois_server: registrar?.whoisServer,
    website_url: registrar?.url,
    email_address: registrar?.email,
    phone_number: registrar?.phone,
  });
}

/** Returns the location of a contact, with the keys that all answers share. */
export function addressBody(contact: Contact | undefined): Json {
  const { street, city, state, postalCode: zip_code } = contact ?? {};
  return { street, city, state, zip_code };
}

/** Returns a contact with the keys that both versions share; undefined if nothing is known about it. */
export function contactBody(contact: Contact | undefined): Json | undefined {
  return published({
    name: contact?.name,
    company: contact?.organization,
    ...addressBody(contact),
    country_name: contact?.countryName ?? countryName(contact?.countryCode),
    country_code: contact?.countryCode,
    email_address: contact?.email,
    phone: contact?.phone,
    fax: contact?.fax,
    mailing_address: mailingAddress(contact),
  });
}

/** Returns a reseller, if any. Only three of its members are published. */
export function resellerBody(contact: Contact | undefined): Json | undefined {
  return published({
    name: contact?.name ?? contact?.organization,
    email_address: contact?.email,
    phone: contact?.phone,
  });
}

/** Returns the EPP statuses in lower case, as in the first version; undefined if there are none. */
export function statusBody(record: RegistrationRecord | undefined): string[] | undefined {
  const statuses = record?.statuses.map((status) => status.toLowerCase()) ?? [];
  return statuses.length > 0 ? statuses : undefined;
}

/** Returns the name servers in published order; undefined if there are none. */
export function nameServerBody(record: RegistrationRecord | undefined): string[] | undefined {
  return record?.nameServers.length ? record.nameServers : undefined;
}

/**
 * Returns the registry's own data, without the registrar's answer; undefined if the registry published none.
 * @param rawTextName the member for the registry's port-43 text, which is included only if `raw` is true.
 */
export function registryBody(lookup: Lookup, rawTextName: string, raw: boolean): Json | undefined {
  const source = lookup.sources.find(({ role, record }) => role === 'registry' && record);
  if (source?.record === undefined) return undefined;
  return published({
    domain_name: source.record.domain ?? lookup.domain,
    query_time: queryTime(source.fetchedAt),
    whois_server: source.server,
    domain_registered: registered(lookup),
    ...legacyDates(source.record),
    domain_registrar: registrarBody(source.record.registrar),
    name_servers: nameServerBody(source.record),
    domain_status: statusBody(source.record),
    [rawTextName]: raw ? rawText(source) : undefined,
  });
}

/**
 * Returns the most detailed port-43 text: the registrar's or, if there is none, the registry's;
 * undefined if there is neither.
 */
export function rawDomainText(lookup: Lookup): string | undefined {
  const texts = lookup.sources.filter((source) => rawText(source) !== undefined);
  const registrar = texts.find(({ role, record }) => role === 'registrar' && record);
  const best = registrar ?? texts[0];
  return best && rawText(best);
}

/** Drops members without a value. It is written as a loop for speed, because it runs a dozen times per answer. */
export function present(members: Json): Json {
  const kept: Json = {};
  for (const name of Object.keys(members)) {
    const value = members[name];
    if (value !== undefined && value !== '') kept[name] = value;
  }
  return kept;
}

/** Drops members without a value. Returns undefined if none is left. */
export function published(members: Json): Json | undefined {
  const kept = present(members);
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function registered({ outcome }: Lookup): CommonBody['domain_registered'] {
  if (outcome === 'restricted') return 'restricted';
  return outcome === 'not_registered' ? 'no' : 'yes';
}

/**
 * Returns the registry's source if the registry answered, because it is authoritative; otherwise another source that
 * answered.
 */
function leadingSource({ sources }: Lookup): SourceAnswer | undefined {
  const answered = sources.filter((source) => ANSWERS.has(source.outcome));
  return answered.find(({ role }) => role === 'registry') ?? answered[0];
}

const ANSWERS = new Set(['delivered', 'partial', 'not_registered', 'restricted']);

function rawText(source: SourceAnswer): string | undefined {
  return source.protocol === 'whois43' ? source.raw : undefined;
}

function mailingAddress(contact: Contact | undefined): string | undefined {
  const parts = [contact?.street, contact?.city, contact?.state, contact?.postalCode];
  if (parts.every((part) => !part)) return undefined;
  return [...parts, contact?.countryName ?? contact?.countryCode].filter(Boolean).join(', ');
}

const REGION_NAMES = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const countryNames = new Map<string, string | undefined>();

/** Returns the English name for an ISO 3166-1 alpha-2 code; undefined for an invalid code. */
function countryName(code: string | undefined): string | undefined {
  if (code === undefined || !/^[A-Z]{2}$/.test(code)) return undefined;
  if (!countryNames.has(code)) countryNames.set(code, REGION_NAMES.of(code));
  return countryNames.get(code);
}
