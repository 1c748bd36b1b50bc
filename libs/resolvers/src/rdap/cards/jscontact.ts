import { type JsonObject, objectIn, objectsIn, textIn } from '../json-reading.js';
import { country, publishedContact, type PublishedContact } from './published-contact.js';

/** Address components that form the street lines (RFC 9553 §2.5.1.2). */
const STREET_KINDS = new Set([
  'postOfficeBox',
  'building',
  'floor',
  'room',
  'apartment',
  'number',
  'name',
  'block',
  'extension',
  'direction',
  'landmark',
]);

/** Reads a JSContact card (RFC 9553), which some servers send in addition to a jCard or instead of one. */
export function readJsContact(card: unknown): PublishedContact {
  const root = objectIn(card);
  const name = objectIn(root['name']);
  const joined = componentsOf(name).map(({ value }) => value);
  const phones = valuesOf(root['phones']);
  const fax = phones.find(isFax);
  const phone = phones.find((one) => !isFax(one));
  const values = {
    name: textIn(name['full']) ?? textIn(root['fullName']) ?? (joined.join(' ') || undefined),
    organization: textIn(valuesOf(root['organizations'])[0]?.['name']),
    ...address(valuesOf(root['addresses'])[0] ?? {}),
    email: textIn(valuesOf(root['emails'])[0]?.['address']),
    phone: number(phone),
    fax: number(fax),
  };
  const url = textIn(valuesOf(root['links'])[0]?.['uri']);
  return publishedContact(values, { url, kind: textIn(root['kind']) });
}

/** Returns the values of a JSContact map (`{ id: value }`), whose keys have no meaning. */
function valuesOf(map: unknown): readonly JsonObject[] {
  return objectsIn(Object.values(objectIn(map)));
}

function componentsOf(owner: JsonObject): { kind: string; value: string }[] {
  return objectsIn(owner['components']).flatMap((component) => {
    const value = textIn(component['value']);
    return value === undefined ? [] : [{ kind: textIn(component['kind']) ?? '', value }];
  });
}

function isFax(phone: JsonObject): boolean {
  return objectIn(phone['features'])['fax'] === true;
}

function number(phone: JsonObject | undefined): string | undefined {
  return textIn(phone?.['number'])?.replace(/^tel:/i, '');
}

function address(one: JsonObject) {
  const components = componentsOf(one);
  const of = (kind: string) => components.find((component) => component.kind === kind)?.value;
  const street = components.filter(({ kind }) => STREET_KINDS.has(kind)).map(({ value }) => value);
  const full = components.length === 0 ? textIn(one['full']) : undefined;
  return {
    street: street.join(' ') || textIn(one['street']) || full,
    city: of('locality') ?? textIn(one['locality']),
    state: of('region') ?? textIn(one['region']),
    postalCode: of('postcode') ?? textIn(one['postcode']),
    ...country(textIn(one['countryCode']), of('country') ?? textIn(one['country'])),
  };
}
