import { parseIpAddress } from '#libs/domain-names';
import type { DateValue } from '../record.js';
import { readEvents } from '../rdap/events.js';
import { readJcard } from '../rdap/cards/jcard.js';
import {
  type JsonObject,
  linesIn,
  listIn,
  objectsIn,
  present,
  textIn,
} from '../rdap/json-reading.js';
import { readJsContact } from '../rdap/cards/jscontact.js';
import { abuseInRemarks, isEmail } from './abuse.js';
import type { AbuseContact, NetworkContact, NumberBlock } from './network-record.js';

const ENTITY_DEPTH_MAX = 3;
const ENTITIES_MAX = 100;

/**
 * Reads an RDAP IP network or autnum object (RFC 9083 §5.4, §5.5). Members that are missing or have the wrong type
 * count as not published. @returns undefined if the object has a different class or describes no block.
 */
export function readRdapNumber(
  json: JsonObject,
  kind: 'ip network' | 'autnum',
): NumberBlock | undefined {
  const objectClass = textIn(json['objectClassName'])?.toLowerCase() ?? kind;
  if (objectClass !== kind) return undefined;
  const [from, to] =
    kind === 'autnum' ? ['startAutnum', 'endAutnum'] : ['startAddress', 'endAddress'];
  const handle = textIn(json['handle']);
  const start = plainText(json[from]) ?? (kind === 'autnum' ? numberIn(handle) : undefined);
  if (start === undefined) return undefined;
  const entities = entitiesIn(json);
  const contacts = contactsOf(entities);
  const descriptions = remarksOf(json);
  const { created, updated } = readEvents(json);
  return {
    start,
    end: plainText(json[to]) ?? start,
    ...present<Partial<NumberBlock>>({
      handle,
      parentHandle: textIn(json['parentHandle']),
      name: textIn(json['name']),
      type: textIn(json['type']),
      countryCode: textIn(json['country'])?.toUpperCase() ?? countryOfHolder(contacts),
      geofeedUrl: geofeedOf(json, descriptions),
    }),
    ...dates(created, updated),
    descriptions,
    statuses: linesIn(json['status']),
    originAsns: originsOf(json),
    contacts,
    abuseContacts: abuseOf(contacts, chosenEmails(entities), descriptions),
  };
}

/**
 * Converts an address to the form of RFC 5952, without a prefix length; leaves any other text unchanged.
 * @returns undefined if the value is not a text.
 */
function plainText(value: unknown): string | undefined {
  const text = textIn(value);
  const parsed = parseIpAddress(text?.replace(/\/\d{1,3}$/, '') ?? '');
  return parsed.ok ? parsed.ip.address : text;
}

/** Returns the country of the holder, because ARIN publishes none for the block itself; undefined without one. */
function countryOfHolder(contacts: readonly NetworkContact[]): string | undefined {
  return contacts.find(({ roles }) => roles.includes('registrant'))?.countryCode;
}

/** Returns the entities of an object and those within them, outer ones first. */
function entitiesIn(json: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  let parents: readonly JsonObject[] = [json];
  for (let depth = 0; depth < ENTITY_DEPTH_MAX; depth++) {
    const left = ENTITIES_MAX - found.length;
    parents = parents.flatMap(({ entities }) => objectsIn(entities)).slice(0, left);
    found.push(...parents);
  }
  return found;
}

function contactsOf(entities: readonly JsonObject[]): NetworkContact[] {
  const found = new Map<string, NetworkContact>();
  for (const entity of entities) note(found, entity);
  return withoutMaintainers([...found.values()]);
}

/**
 * Removes the role of registrant from maintainers. RIPE lists the accounts that maintain an object next to its holder,
 * as registrants without data; their names are handles, not the holder's name.
 */
function withoutMaintainers(contacts: readonly NetworkContact[]): NetworkContact[] {
  return contacts.map((contact) => {
    const { handle, name = handle, organization, street, emails, phones } = contact;
    const isBare = name === handle && organization === undefined && street === undefined;
    const isMaintainer = isBare && emails.length + phones.length === 0;
    if (!isMaintainer) return contact;
    return { ...contact, roles: contact.roles.filter((role) => role !== 'registrant') };
  });
}

/**
 * Adds an entity or, if it is known, its roles: the same entity is often listed several times, each time with one role.
 */
function note(found: Map<string, NetworkContact>, entity: JsonObject): void {
  const roles = linesIn(entity['roles']).map((role) => role.toLowerCase());
  const handle = textIn(entity['handle']);
  const jcard = readJcard(entity['vcardArray']);
  const hasCard = Object.keys(jcard.contact).length > 0;
  const { contact } = hasCard ? jcard : readJsContact(entity['jscontact_card'] ?? entity['jscard']);
  const emails = hasCard ? valuesOf(entity, 'email') : listOf(contact.email);
  const phones = hasCard ? valuesOf(entity, 'tel') : listOf(contact.phone);
  if (handle === undefined && Object.keys(contact).length === 0) return;
  const key = handle ?? JSON.stringify(contact);
  const known = found.get(key);
  const one = { ...present<{ handle?: string }>({ handle }), ...contact, roles, emails, phones };
  if (known === undefined) {
    found.set(key, one);
    return;
  }
  const isFuller = Object.keys(one).length > Object.keys(known).length;
  found.set(key, {
    ...(isFuller ? one : known),
    roles: [...new Set([...known.roles, ...roles])],
  });
}

/**
 * Returns all values of a jCard property (RFC 7095 §3.3); a domain record needs only the first value.
 * @param isWanted selects properties by their parameters.
 */
function valuesOf(
  entity: JsonObject,
  name: string,
  isWanted = (_parameters: JsonObject) => true,
): string[] {
  const values = listIn(listIn(entity['vcardArray'])[1]).flatMap((property) => {
    const [key, parameters, , value] = listIn(property);
    if (typeof key !== 'string' || key.toLowerCase() !== name) return [];
    if (!isWanted(objectsIn([parameters])[0] ?? {})) return [];
    return linesIn(value).map((text) => text.replace(/^(tel|mailto):/i, '').replace(/;.*$/, ''));
  });
  return [...new Set(values)].filter((text) => text !== '');
}

/** Returns the addresses that a card marks as for abuse, or as preferred (RFC 6350 §5.3, §5.6). */
function chosenEmails(entities: readonly JsonObject[]): ReadonlySet<string> {
  const isChosen = ({ type, pref }: JsonObject) =>
    linesIn(type).some((one) => one.toLowerCase() === 'abuse') || String(pref) === '1';
  return new Set(entities.flatMap((entity) => valuesOf(entity, 'email', isChosen)));
}

function listOf(value: string | undefined): string[] {
  return value === undefined ? [] : [value];
}

function remarksOf(json: JsonObject): string[] {
  return objectsIn(json['remarks']).flatMap(({ description }) => linesIn(description));
}

/**
 * Returns the HTTPS URL of the geofeed (RFC 9632) in a link or a remark that begins with `Geofeed`; undefined if there
 * is none.
 */
function geofeedOf(json: JsonObject, remarks: readonly string[]): string | undefined {
  const link = objectsIn(json['links']).find(({ rel }) => /^geo(feed)?$/i.test(textIn(rel) ?? ''));
  const remark = remarks.map((line) => /^geofeed:?\s+(https:\S+)/i.exec(line)?.[1]).find(Boolean);
  const url = textIn(link?.['href']) ?? remark;
  return url !== undefined && /^https:/i.test(url) ? url : undefined;
}

/** Returns the origin AS numbers, which only ARIN publishes, in an extension. */
function originsOf(json: JsonObject): number[] {
  return linesIn(json['arin_originas0_originautnums']).map(Number).filter(Number.isSafeInteger);
}

/**
 * Returns the addresses of abuse contacts. If the card of one has several, only those count that it marks as for abuse
 * (RIPE's `abuse-mailbox`) or prefers (APNIC's). Without abuse contacts, the remarks are searched.
 */
function abuseOf(
  contacts: readonly NetworkContact[],
  chosen: ReadonlySet<string>,
  remarks: readonly string[],
): AbuseContact[] {
  const byRole = contacts
    .filter(({ roles }) => roles.includes('abuse'))
    .flatMap(({ emails }) => {
      const own = emails.filter((email) => chosen.has(email));
      return own.length > 0 ? own : emails;
    })
    .filter(isEmail)
    .map((email) => ({ email: email.toLowerCase(), foundIn: 'rdap_role' }));
  const all = byRole.length > 0 ? byRole : abuseInRemarks(remarks);
  return [...new Map(all.map((one) => [one.email, one])).values()];
}

function numberIn(handle: string | undefined): string | undefined {
  return /^AS(\d{1,10})$/i.exec(handle ?? '')?.[1];
}

function dates(created: DateValue | undefined, updated: DateValue | undefined) {
  return { ...(created && { created }), ...(updated && { updated }) };
}
