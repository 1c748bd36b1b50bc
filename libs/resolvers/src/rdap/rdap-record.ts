import { toALabels } from '#libs/domain-names';
import { isHostName } from '../safe-connect/host-name.js';
import type { Redaction, Registrar, RegistrationRecord } from '../record.js';
import { namesPrivacyService } from '../whois/parse/fields/placeholders.js';
import { eppNameOf } from './rdap-statuses.js';
import { type Entity, entitiesOf, readContacts } from './entities.js';
import { readEvents } from './events.js';
import { type JsonObject, listIn, objectIn, objectsIn, present, textIn } from './json-reading.js';
import { rdapUrl } from './rdap-url.js';
import { readRedactions } from './redactions.js';
import { restrictionOf } from './restriction.js';

/** Roles (RFC 9083 §10.2.4) that occur only in registrations. */
const HOLDER_ROLES: ReadonlySet<string> = new Set([
  'registrar',
  'registrant',
  'reseller',
  'sponsor',
  'proxy',
]);

/** Statuses, reduced to letters, of an object that does not describe a registration. */
const STATUSES_OF_NONE: ReadonlySet<string> = new Set([
  'available',
  'free',
  'notfound',
  'notregistered',
  'unassigned',
  'unregistered',
]);

/**
 * Reads an RDAP domain object (RFC 9083 §5.3) into a record. Tolerates the errors of servers: members that are missing
 * or have the wrong type count as not published. @returns undefined if the object is empty, is not about `domain`, or
 * says that there is no such registration. `restriction` is set if the name has no holder and the object says why.
 */
export function readRdapDomain(json: JsonObject, domain: string): RegistrationRecord | undefined {
  const kind = textIn(json['objectClassName'])?.toLowerCase() ?? 'domain';
  const given = [json['ldhName'], json['unicodeName']].filter((one) => textIn(one) !== undefined);
  const name = given.some((one) => isName(one, domain)) ? domain : undefined;
  if (kind !== 'domain' || (given.length > 0 && name === undefined)) return undefined;
  const entities = entitiesOf(json);
  const { contacts, redactions: placeholders } = readContacts(entities);
  const redactions = [...readRedactions(json), ...placeholders];
  const rdap = relatedUrl(json);
  const record = present<RegistrationRecord>({
    domain: name,
    handle: textIn(json['handle']),
    ...readEvents(json),
    nameServers: readNameServers(json),
    statuses: readStatuses(json),
    registrar: readRegistrar(entities, rdap),
    contacts,
    dnssec: readDnssec(json),
    redactions: withoutRepeats(redactions),
    privacyService: isPrivacyService(contacts.registrant) || entities.some(isProxy),
    restriction: undefined,
    referral: rdap === undefined ? undefined : { rdapUrl: rdap.href },
  });
  if (isEmpty(record)) return undefined;
  if (isHeld(record, entities)) return record;
  const restriction = restrictionOf(json);
  if (restriction !== undefined) return { ...record, restriction };
  return saysNone(json, record) ? undefined : record;
}

function saysNone(json: JsonObject, { statuses }: RegistrationRecord): boolean {
  const words = statuses.map((status) => status.toLowerCase().replace(/[^a-z]/g, ''));
  return 'errorCode' in json || words.some((word) => STATUSES_OF_NONE.has(word));
}

/**
 * True if the name has a holder, whatever its statuses say: a seller or holder is named, the name expires or is
 * delegated, or there is a link to the registrar's answer. A creation date alone may belong to the registry's own
 * entry.
 */
function isHeld(record: RegistrationRecord, entities: readonly Entity[]): boolean {
  const { expires, nameServers, referral } = record;
  if (expires !== undefined || nameServers.length > 0 || referral !== undefined) return true;
  return entities.some(({ roles }) => roles.some((role) => HOLDER_ROLES.has(role)));
}

function readRegistrar(
  entities: readonly Entity[],
  related: URL | undefined,
): Registrar | undefined {
  const entity = entities.find(({ roles, depth }) => depth === 1 && roles.includes('registrar'));
  if (entity === undefined) return undefined;
  const { json, card } = entity;
  const ianaId = objectsIn(json['publicIds']).find(({ type }) =>
    /iana registrar id/i.test(textIn(type) ?? ''),
  );
  const website = objectsIn(json['links']).find(({ rel }) => textIn(rel) === 'about');
  const rdapServer = related?.href.replace(/domain\/[^/]*\/?$/i, '');
  const registrar = present<Registrar>({
    ianaId: textIn(ianaId?.['identifier']),
    name: card.contact.name ?? card.contact.organization,
    organization: card.contact.organization,
    url: card.url ?? textIn(website?.['href']),
    email: card.contact.email,
    phone: card.contact.phone,
    whoisServer: undefined,
    rdapServer,
  });
  return Object.keys(registrar).length === 0 ? undefined : registrar;
}

function readNameServers(json: JsonObject): string[] {
  const names = objectsIn(json['nameservers']).map(
    ({ ldhName, unicodeName }) => serverName(ldhName) ?? serverName(unicodeName),
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

function readStatuses(json: JsonObject): string[] {
  const { status } = json;
  const words = (Array.isArray(status) ? listIn(status) : [status]).map(textIn);
  return [...new Set(words.filter((word) => word !== undefined).map(eppNameOf))];
}

/** Reads `secureDNS` (RFC 9083 §5.3), with each DS record as key tag, algorithm, digest type and digest. */
function readDnssec(json: JsonObject): RegistrationRecord['dnssec'] {
  const secureDns = objectIn(json['secureDNS']);
  const ds = objectsIn(secureDns['dsData']).flatMap((data) => {
    const parts = [data['keyTag'], data['algorithm'], data['digestType'], data['digest']].map(
      textIn,
    );
    return parts.includes(undefined) ? [] : [parts.join(' ')];
  });
  const signed = secureDns['delegationSigned'];
  const isSigned = signed === true || signed === 'true' || ds.length > 0;
  return isSigned || signed === false || signed === 'false' ? { signed: isSigned, ds } : undefined;
}

/**
 * Returns the URL of the registrar's own answer about the name, a `related` link of RDAP's type; undefined if there is
 * none.
 */
function relatedUrl(json: JsonObject): URL | undefined {
  for (const link of objectsIn(json['links'])) {
    const isRelated = textIn(link['rel'])?.toLowerCase() === 'related';
    const type = textIn(link['type']) ?? '';
    const href = textIn(link['href']);
    if (!isRelated || href === undefined || !type.startsWith('application/rdap+json')) continue;
    const url = rdapUrl(href);
    if (url !== undefined) return url;
  }
  return undefined;
}

/** True if a string is the name. Servers also give U-labels as `ldhName`, or only the label without the suffix. */
function isName(value: unknown, domain: string): boolean {
  const text = (textIn(value) ?? '').toLowerCase().replace(/\.$/, '');
  const name = hostName(text) ?? toALabels(text);
  const isLabel = domain.startsWith(`${name}.`) && !domain.endsWith(`.${name}`);
  return name === domain || (isLabel && !name.includes('.'));
}

/** Returns a host name in A-labels; servers also give U-labels as `ldhName`. */
function serverName(value: unknown): string | undefined {
  const text = textIn(value) ?? '';
  return hostName(/^[\p{L}\p{M}\p{N}.-]+$/u.test(text) ? toALabels(text) : text);
}

function hostName(value: unknown): string | undefined {
  const name = textIn(value)?.toLowerCase().replace(/\.$/, '');
  return name !== undefined && isHostName(name) ? name : undefined;
}

function isPrivacyService(registrant: RegistrationRecord['contacts']['registrant']): boolean {
  const { name, organization, email } = registrant ?? {};
  return [name, organization, email].some((text) => namesPrivacyService(text ?? ''));
}

/** True for an entity of a service that replaces the registrant (`proxy`, RFC 9083 §10.2.2). */
function isProxy({ json, roles }: Entity): boolean {
  return roles.includes('registrant') && readStatuses(json).includes('proxy');
}

/**
 * Keeps the first redaction of each path. One that the server declares comes first, because it says more than a
 * placeholder.
 */
function withoutRepeats(redactions: readonly Redaction[]): Redaction[] {
  const paths = new Set<string>();
  return redactions.filter(({ path }) => !paths.has(path) && paths.add(path));
}

/** True for an object without registration data, which does not answer the query. */
function isEmpty({ domain, handle, created, nameServers, statuses, contacts }: RegistrationRecord) {
  return (
    [domain, handle, created].every((value) => value === undefined) &&
    nameServers.length + statuses.length + Object.keys(contacts).length === 0
  );
}
