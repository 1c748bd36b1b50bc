import { lastAddress, parseAddressBlock } from '#libs/domain-names';
import { parseDate } from '../whois/parse/fields/dates.js';
import type { DateValue } from '../record.js';
import { abuseInRemarks, isEmail } from './abuse.js';
import type { AbuseContact, NetworkContact, NumberBlock } from './network-record.js';
import { type NumberRange, contains, numberRange, overlap } from './number-range.js';

const LENGTH_MAX = 256 * 1024;
const LINE_LENGTH_MAX = 1_000;
const OBJECTS_MAX = 200;

/** An object of a registry's database. The first attribute names the class of the object (RFC 2622 §2). */
interface RpslObject {
  className: string;
  attributes: [name: string, value: string][];
}

/** Equivalent names of attributes, so that one reader handles both layouts: ARIN's `NetRange` is `inetnum`. */
const ALIASES: Readonly<Record<string, string>> = {
  netrange: 'inetnum',
  netname: 'netname',
  nethandle: 'nethandle',
  nettype: 'status',
  originas: 'origin',
  asnumber: 'aut-num',
  asname: 'as-name',
  ashandle: 'nethandle',
  regdate: 'created',
  updated: 'last-modified',
  comment: 'remarks',
  owner: 'org-name',
  'inetrev-owner': 'org-name',
};

/** Attributes whose values are free text. In all others, `#` begins a comment (RFC 2622 §2). */
const FREE_TEXT = new Set([
  'address',
  'descr',
  'org-name',
  'person',
  'phone',
  'remarks',
  'role',
  'trouble',
]);

/** The attributes that a block or its holder uses to refer to people. */
const REFERENCES: Readonly<Record<string, string>> = {
  'admin-c': 'administrative',
  'owner-c': 'administrative',
  'tech-c': 'technical',
  'routing-c': 'technical',
  'abuse-c': 'abuse',
};

const BLOCK_CLASSES = new Set(['inetnum', 'inet6num', 'aut-num']);
const CONTACT_CLASSES: Readonly<Record<string, string>> = {
  organisation: 'registrant',
  orgname: 'registrant',
  custname: 'registrant',
  person: 'technical',
  role: 'technical',
  irt: 'abuse',
  orgabusehandle: 'abuse',
  orgtechhandle: 'technical',
  orgnochandle: 'noc',
  rabusehandle: 'abuse',
  rtechhandle: 'technical',
  'nic-hdl': 'technical',
  'nic-hdl-br': 'technical',
};

/**
 * Reads an answer of a number registry on port 43: RPSL (RIPE, APNIC, AFRINIC, LACNIC) or ARIN's own layout. The
 * narrowest block that contains all requested numbers counts. @returns undefined if there is none.
 */
export function readRpsl(text: string, asked: NumberRange): NumberBlock | undefined {
  const lines = text
    .slice(0, LENGTH_MAX)
    .toWellFormed()
    .split(/\r\n|\n|\r/);
  const objects = objectsIn(lines);
  const blocks = objects.filter(({ className }) => BLOCK_CLASSES.has(className));
  const block = narrowestOf(blocks, asked);
  if (block === undefined) return undefined;
  const [start, end] = rangeOf(block.attributes[0][1]);
  const value = (name: string) => first(block, name);
  const remarks = [...all(block, 'descr'), ...all(block, 'remarks')];
  const own = objectsOf(block, objects);
  const references = referencesIn(block, own);
  const contacts = [...ownerIn(block), ...contactsIn(own, references)];
  const created = dateOf(value('created'));
  const updated = dateOf(value('last-modified')) ?? newestChange(block);
  const optional = {
    handle: value('nethandle'),
    name: value('netname') ?? value('as-name'),
    type: value('status'),
    countryCode: (value('country') ?? countryOfOwner(block, own))?.toUpperCase(),
    parentHandle: value('parent'),
    geofeedUrl: value('geofeed') ?? geofeedIn(remarks),
    created,
    updated,
  };
  return {
    start,
    end,
    ...Object.fromEntries(Object.entries(optional).filter(([, given]) => given !== undefined)),
    descriptions: remarks,
    statuses: [],
    originAsns: originsIn(own, asked),
    contacts,
    abuseContacts: abuseIn(lines, own, { references, remarks }),
  };
}

function objectsIn(lines: readonly string[]): RpslObject[] {
  const objects: RpslObject[] = [];
  let open: RpslObject | undefined;
  for (const line of lines) {
    const text = clean(line);
    if (text.trim() === '' || /^[%#]/.test(text)) {
      open = undefined;
      continue;
    }
    const attribute = attributeIn(text);
    if (attribute === undefined) continue;
    if (attribute === 'continued') {
      const last = open?.attributes.at(-1);
      if (last) last[1] = `${last[1]} ${text.replace(/^[+\s]+/, '')}`.trim();
      continue;
    }
    if (open === undefined) {
      if (objects.length >= OBJECTS_MAX) break;
      open = { className: attribute[0], attributes: [] };
      objects.push(open);
    }
    open.attributes.push(attribute);
  }
  return objects;
}

function attributeIn(text: string): [name: string, value: string] | 'continued' | undefined {
  if (/^[+\s]/.test(text)) return 'continued';
  const colon = text.indexOf(':');
  if (colon < 1 || colon > 40) return undefined;
  const name = text.slice(0, colon).trim().toLowerCase();
  if (!/^[a-z0-9-]+$/.test(name)) return undefined;
  const known = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  const value = text.slice(colon + 1).trim();
  return [known, isFreeText(known) ? value : value.replace(/(?:^|\s)#.*$/, '').trim()];
}

function isFreeText(name: string): boolean {
  return FREE_TEXT.has(name) || name.endsWith('name') || name.endsWith('phone');
}

/** Shortens a line to 1,000 characters, without direction marks; control characters become spaces. */
function clean(line: string): string {
  return line
    .slice(0, LINE_LENGTH_MAX)
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/\p{Cc}+/gu, ' ');
}

function first({ attributes }: RpslObject, name: string): string | undefined {
  return attributes.find(([given, value]) => given === name && value !== '')?.[1];
}

function all({ attributes }: RpslObject, name: string): string[] {
  return attributes.filter(([given, value]) => given === name && value !== '').map(([, v]) => v);
}

/** Reads `192.0.2.0 - 192.0.2.255`, `192.0.2.0/24`, `2001:db8::/32`, `AS64496` or `AS64496 - AS64511`. */
function rangeOf(value: string): [start: string, end: string] {
  const given = value.replaceAll(/AS(?=\d)/gi, '');
  // LACNIC omits trailing zeros: `200.3.12/22`.
  const text = given.replace(/^(\d+(?:\.\d+){0,2})(?=\/\d)/, (head) =>
    [...head.split('.'), '0', '0', '0'].slice(0, 4).join('.'),
  );
  const [start, end] = text.split(/\s+-\s+|(?<=\d)-(?=\d)/);
  if (end !== undefined) return [start.trim(), end.trim()];
  const parsed = text.includes('/') ? parseAddressBlock(text.trim()) : undefined;
  return parsed?.ok ? [parsed.cidr.address, lastAddress(parsed.cidr)] : [text.trim(), text.trim()];
}

/** Returns the smallest block that contains all requested numbers, the last of equal ones; undefined if none does. */
function narrowestOf(blocks: readonly RpslObject[], asked: NumberRange): RpslObject | undefined {
  let narrowest: { block: RpslObject; size: bigint } | undefined;
  for (const block of blocks) {
    const range = numberRange(...rangeOf(block.attributes[0][1]));
    // A block whose range cannot be parsed is skipped.
    if (range === undefined || !contains(range, asked)) continue;
    const size = range.last - range.first;
    if (narrowest === undefined || size <= narrowest.size) narrowest = { block, size };
  }
  return narrowest?.block;
}

/**
 * Returns the objects that belong to a block. ARIN prints the people of each block after that block. Other registries
 * print the people of all blocks after the last block. A party does not belong to a block if only another block names
 * the party, or if the party only sponsors the block.
 */
function objectsOf(block: RpslObject, objects: readonly RpslObject[]): readonly RpslObject[] {
  const from = objects.indexOf(block);
  const next = objects.findIndex(({ className }, at) => at > from && BLOCK_CLASSES.has(className));
  const own = objects.slice(from, next < 0 ? undefined : next);
  const isOfArin = first(block, 'nethandle') !== undefined;
  const isApart = own.some(({ className }) => Object.hasOwn(CONTACT_CLASSES, className));
  if (isOfArin || isApart) return withoutOthers(block, own, objects);
  return withoutOthers(block, objects, objects);
}

function withoutOthers(
  block: RpslObject,
  own: readonly RpslObject[],
  objects: readonly RpslObject[],
): readonly RpslObject[] {
  const sponsors = all(block, 'sponsoring-org');
  const others = objects.filter((one) => one !== block && BLOCK_CLASSES.has(one.className));
  const strangers = new Set([...sponsors, ...others.flatMap(namedBy)].map(inLowerCase));
  for (const handle of namedBy(block)) strangers.delete(handle.toLowerCase());
  return own.filter((object) => !strangers.has(handleOf(object)?.toLowerCase() ?? ''));
}

function namedBy({ attributes }: RpslObject): string[] {
  return attributes.flatMap(([name, value]) =>
    name === 'org' || name === 'mnt-irt' || Object.hasOwn(REFERENCES, name) ? [value] : [],
  );
}

function handleOf(object: RpslObject): string | undefined {
  const names = ['nic-hdl', 'nic-hdl-br', 'organisation', 'irt'];
  return names.map((name) => first(object, name)).find((handle) => handle !== undefined);
}

const inLowerCase = (text: string) => text.toLowerCase();

/** The roles of people in relation to a block, by their handles in lower case. */
type References = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns the roles of people from the attributes of the block, and the role of the abuse contact from its holder. */
function referencesIn(block: RpslObject, own: readonly RpslObject[]): References {
  const found = new Map<string, Set<string>>();
  const holders = own.filter(({ className }) => className === 'organisation');
  const given = [
    ...block.attributes,
    ...holders.flatMap(({ attributes }) => attributes.filter(([name]) => name === 'abuse-c')),
  ];
  for (const [name, value] of given) {
    if (!Object.hasOwn(REFERENCES, name)) continue;
    const handle = value.toLowerCase();
    found.set(handle, (found.get(handle) ?? new Set()).add(REFERENCES[name]));
  }
  return found;
}

function rolesOf(object: RpslObject, references: References): string[] {
  const handle = first(object, 'nic-hdl') ?? first(object, 'nic-hdl-br');
  const named = references.get(handle?.toLowerCase() ?? '');
  return named === undefined ? [CONTACT_CLASSES[object.className]] : [...named];
}

/** Returns the owner that LACNIC names in the block itself, if there is one. */
function ownerIn(block: RpslObject): NetworkContact[] {
  const name = first(block, 'org-name');
  if (name === undefined) return [];
  const optional = {
    handle: first(block, 'ownerid'),
    name,
    street: all(block, 'address').join('\n') || undefined,
    countryCode: first(block, 'country')?.toUpperCase(),
  };
  const published = Object.entries(optional).filter(([, value]) => value !== undefined);
  const phones = all(block, 'phone');
  return [{ ...Object.fromEntries(published), roles: ['registrant'], emails: [], phones }];
}

/**
 * Returns the country of the organisation that follows ARIN's block, which has no country itself; undefined if none
 * follows.
 */
function countryOfOwner(block: RpslObject, own: readonly RpslObject[]): string | undefined {
  const following = own.slice(own.indexOf(block) + 1);
  const owner = following.find(({ className }) => CONTACT_CLASSES[className] === 'registrant');
  return owner && first(owner, 'country');
}

/**
 * Returns the newest date of lines such as `changed: hm@apnic.net 20050131` or only a date; undefined if there is
 * none.
 */
function newestChange(block: RpslObject): DateValue | undefined {
  const days = all(block, 'changed').map((text) => /(?:^|\s)(\d{8})$/.exec(text)?.[1]);
  return dateOf(
    days
      .filter((day) => day !== undefined)
      .sort()
      .at(-1),
  );
}

function contactsIn(objects: readonly RpslObject[], references: References): NetworkContact[] {
  return objects.flatMap((object): NetworkContact[] => {
    if (!Object.hasOwn(CONTACT_CLASSES, object.className)) return [];
    const roles = rolesOf(object, references);
    const pick = (pattern: RegExp) =>
      object.attributes.filter(([name]) => pattern.test(name)).map(([, value]) => value);
    const emails = pick(/^(e-mail|abuse-mailbox|org\w+email|r\w+email)$/).filter(isEmail);
    const phones = pick(/^(phone|org\w+phone|r\w+phone)$/);
    const names = pick(/^(org-name|orgname|custname|person|role|irt|org\w+name|r\w+name)$/);
    const handles = pick(/^(nic-hdl|organisation|orgid|org\w+handle|r\w+handle)$/);
    const street = pick(/^address$/).join('\n');
    const values = {
      handle: handles[0],
      name: names[0],
      street: street || undefined,
      city: first(object, 'city'),
      state: first(object, 'stateprov'),
      postalCode: first(object, 'postalcode'),
      countryCode: first(object, 'country')?.toUpperCase(),
      email: emails[0],
      phone: phones[0],
    };
    const published = Object.entries(values).filter(([, value]) => value !== undefined);
    return [{ ...Object.fromEntries(published), roles, emails, phones }];
  });
}

/**
 * Finds abuse addresses in RIPE's comment, in `abuse-mailbox` and ARIN's OrgAbuseEmail and, without `abuse-mailbox`, as
 * the address of an IRT or of an abuse contact that the block or its holder names; if there are none, in remarks.
 */
function abuseIn(
  lines: readonly string[],
  objects: readonly RpslObject[],
  { references, remarks }: { references: References; remarks: readonly string[] },
): AbuseContact[] {
  const comment = lines
    .map((line) => /^% Abuse contact for .{1,100} is '([^']{3,254})'/.exec(line)?.[1])
    .filter((email) => email !== undefined)
    .map((email) => ({ email, foundIn: 'comment' }));
  const attributes = objects.flatMap((object) => {
    const { className } = object;
    const isNamed =
      Object.hasOwn(CONTACT_CLASSES, className) &&
      rolesOf(object, references).includes('abuse') &&
      first(object, 'abuse-mailbox') === undefined;
    return object.attributes
      .filter(
        ([name]) =>
          name === 'abuse-mailbox' ||
          name === 'orgabuseemail' ||
          name === 'rabuseemail' ||
          (isNamed && name === 'e-mail'),
      )
      .map(([name, email]) => ({ email, foundIn: className === 'irt' ? 'irt' : name }));
  });
  const found = [...comment, ...attributes].filter(({ email }) => isEmail(email));
  const chosen = found.length > 0 ? found : abuseInRemarks(remarks);
  const unique = new Map<string, AbuseContact>();
  for (const { email, foundIn } of chosen) {
    const address = email.toLowerCase();
    if (!unique.has(address)) unique.set(address, { email: address, foundIn });
  }
  return [...unique.values()];
}

/**
 * Returns the origins in the block itself, in the routes that overlap the requested numbers without containing all of
 * them, and, of the routes that contain them all, in the narrowest. `AS1.10` is 65546 (RFC 5396).
 */
function originsIn(objects: readonly RpslObject[], asked: NumberRange): number[] {
  const routes = objects.flatMap((object) => {
    const route = first(object, 'route') ?? first(object, 'route6');
    const range = route === undefined ? asked : numberRange(...rangeOf(route));
    if (range === undefined || !overlap(range, asked)) return [];
    const isAround = route !== undefined && contains(range, asked);
    return [
      { size: isAround ? range.last - range.first : undefined, texts: all(object, 'origin') },
    ];
  });
  const sizes = routes.flatMap(({ size }) => size ?? []);
  const isWider = (size: bigint | undefined) =>
    size !== undefined && sizes.some((other) => other < size);
  const texts = routes.flatMap((one) => (isWider(one.size) ? [] : one.texts));
  const numbers = texts
    .flatMap((text) => text.match(/\d{1,10}(?:\.\d{1,5})?/g) ?? [])
    .map((text) => text.split('.').reduce((sum, part) => sum * 65_536 + Number(part), 0))
    .filter((asn) => asn < 2 ** 32);
  return [...new Set(numbers)];
}

function geofeedIn(remarks: readonly string[]): string | undefined {
  return remarks.map((line) => /^geofeed:?\s+(https:\S+)/i.exec(line)?.[1]).find(Boolean);
}

function dateOf(text: string | undefined): DateValue | undefined {
  return text === undefined ? undefined : parseDate(text, {});
}
