import type { Contact } from '../../record.js';
import {
  type JsonObject,
  linesIn,
  listIn,
  objectIn,
  textIn,
  textsWithin,
} from '../json-reading.js';
import { country, publishedContact, type PublishedContact } from './published-contact.js';

interface Property {
  name: string;
  parameters: JsonObject;
  /** The values of the property, after name, parameters and type; usually one. */
  values: readonly unknown[];
}

/**
 * Reads a jCard (RFC 7095), `["vcard", [[name, parameters, type, value…], …]]`, in the variants that servers send:
 * without a name; with text instead of a list, and lists instead of text; with the address only in a `label`; with the
 * country in a `cc` parameter; with telephone numbers as text or as a `tel:` URI; with truncated properties.
 */
export function readJcard(vcardArray: unknown): PublishedContact {
  const properties = listIn(listIn(vcardArray)[1]).flatMap(property);
  const all = (name: string) => properties.filter((one) => one.name === name);
  const first = (name: string) =>
    all(name)
      .map(textOf)
      .find((text) => text !== undefined);
  const tels = all('tel').filter((tel) => phoneIn(tel) !== undefined);
  const [phone, fax] = [tels.find(isPhone), tels.find(isFax)].map((tel) => tel && phoneIn(tel));
  const values = {
    name: first('fn') ?? nameIn(all('n')[0]),
    organization: first('org'),
    ...address(all('adr')),
    email: all('email')
      .map(mailboxIn)
      .find((text) => text !== undefined),
    phone,
    fax,
  };
  return publishedContact(withoutRepeat(values), { url: first('url'), kind: first('kind') });
}

/** Drops the name on an organisation's card if it only repeats the organisation: every card must have a name (`fn`). */
function withoutRepeat<Values extends Contact>(values: Values): Values {
  return values.name === values.organization ? { ...values, name: undefined } : values;
}

function property(entry: unknown): Property[] {
  const [name, parameters, , ...values] = listIn(entry);
  if (typeof name !== 'string' || values.length === 0) return [];
  return [{ name: name.toLowerCase(), parameters: objectIn(parameters), values }];
}

function textOf({ values }: Property): string | undefined {
  const value = values[0];
  return Array.isArray(value) ? textsWithin(value).join(' ') || undefined : textIn(value);
}

/**
 * Returns the given name and the family name in a property `n`, in which the family name is first; undefined if both
 * are missing.
 */
function nameIn(one: Property | undefined): string | undefined {
  const [family, given] = listIn(one?.values[0]).map(textIn);
  return [given, family].filter((part) => part !== undefined).join(' ') || undefined;
}

function phoneIn(tel: Property): string | undefined {
  const text = textOf(tel);
  if (text === undefined) return undefined;
  const [number = '', ...parameters] = text.replace(/^tel:/i, '').split(';');
  const extension = parameters.find((parameter) => /^ext=/i.test(parameter))?.slice(4);
  const written = extension === undefined || extension === '' ? '' : ` ext. ${extension}`;
  return number.trim() === '' ? undefined : `${number.trim()}${written}`;
}

/** Returns the first mailbox of a property, which may be a `mailto:` URI (RFC 6068); undefined if there is none. */
function mailboxIn({ values }: Property): string | undefined {
  const text = linesIn(values[0])[0]?.trim();
  return text?.replace(/^mailto:/i, '').replace(/\?.*$/, '') || undefined;
}

function isFax(tel: Property): boolean {
  return typesOf(tel).includes('fax');
}

/** True for a telephone number. A number may be for both telephone and fax (RFC 6350 §6.4.1). */
function isPhone(tel: Property): boolean {
  return !isFax(tel) || typesOf(tel).some((type) => type === 'voice' || type === 'cell');
}

function typesOf({ parameters }: Property): string[] {
  return linesIn(member(parameters, 'type')).map((word) => word.toLowerCase());
}

function address(addresses: readonly Property[]): Contact {
  for (const { parameters, values } of addresses) {
    const cc = textIn(member(parameters, 'cc'));
    // Post box, extension, street, locality, region, code, country.
    const parts = Array.isArray(values[0]) ? listIn(values[0]) : [];
    const given = parts.slice(0, 3).flatMap(linesIn);
    const rest = parts.slice(3, 7).map((part) => linesIn(part).join(' '));
    const lines = linesIn(member(parameters, 'label') ?? values.find((value) => textIn(value)));
    const isStructured = given.length > 0 || Boolean(rest[0]) || Boolean(rest[2]);
    const labelled = isStructured ? undefined : northAmerican(lines);
    const street = labelled?.street ?? (isStructured ? given : lines);
    const [city, state, postalCode, name] = labelled?.rest ?? rest;
    const found = {
      street: street.join('\n') || undefined,
      city: city || undefined,
      state: state || undefined,
      postalCode: postalCode || undefined,
      ...country(cc, name || undefined),
    };
    if (Object.values(found).some((value) => value !== undefined)) return found as Contact;
  }
  return {};
}

const POSTAL_CODES: Readonly<Record<string, RegExp>> = {
  'United States': /^\d{5}(?:-?\d{4})?$/,
  Canada: /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i,
};

/**
 * Returns the parts of a label in ARIN's form, in which the last lines are city, state, code and country. @returns
 * undefined for any other label, because its lines have no fixed meaning.
 */
function northAmerican(lines: readonly string[]): { street: string[]; rest: string[] } | undefined {
  const rest = lines.slice(-4);
  const [, state = '', code = '', name = ''] = rest;
  const isKnown = /^[A-Z]{2}$/.test(state) && POSTAL_CODES[name]?.test(code) === true;
  return lines.length > 4 && isKnown ? { street: lines.slice(0, -4), rest } : undefined;
}

/** Returns a parameter whose name is in lower case or in capitals. */
function member(parameters: JsonObject, name: string): unknown {
  return parameters[name] ?? parameters[name.toUpperCase()];
}
