import { ipv6Groups, lastAddress, parseAddressBlock, parseIpAddress } from '#libs/domain-names';
import { parseDate } from '../whois/parse/fields/dates.js';
import type { DateValue } from '../record.js';
import { abuseInRemarks, isEmail } from './abuse.js';
import type { AbuseContact, NetworkContact, NumberBlock } from './network-record.js';

const LENGTH_MAX = 256 * 1024;
const LINE_LENGTH_MAX = 1_000;
const OBJECTS_MAX = 200;

/** One object of a registry's database: the first attribute names its class (RFC 2622 §2). */
interface RpslObject {
  className: string;
  attributes: [name: string, value: string][];
}

/** `NetRange` of ARIN means `inetnum`, and so on, so that one reader handles both layouts. */
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

const BLOCK_CLASSES = new Set(['inetnum', 'inet6num', 'aut-num']);
const CONTACT_CLASSES: Readonly<Record<string, string>> = {
  organisation: 'registrant',
  orgname: 'registrant',
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
 * Reads an answer of a number registry on port 43: RPSL (RIPE, APNIC, AFRINIC, LACNIC) or ARIN's own layout. The most
 * specific block counts. Undefined if there is none.
 */
export function readRpsl(text: string): NumberBlock | undefined {
  const lines = text
    .slice(0, LENGTH_MAX)
    .toWellFormed()
    .split(/\r\n|\n|\r/);
  const objects = objectsIn(lines);
  const blocks = objects.filter(({ className }) => BLOCK_CLASSES.has(className));
  const block = narrowestOf(blocks);
  if (block === undefined) return undefined;
  const [start, end] = rangeOf(block);
  const value = (name: string) => first(block, name);
  const remarks = [...all(block, 'descr'), ...all(block, 'remarks')];
  const own = objectsOf(block, objects);
  const contacts = [...ownerIn(block), ...contactsIn(own)];
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
    originAsns: originsIn(own),
    contacts,
    abuseContacts: abuseIn(lines, own, remarks),
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
  return [Object.hasOwn(ALIASES, name) ? ALIASES[name] : name, text.slice(colon + 1).trim()];
}

/** One line without control characters, including those that change the writing direction. */
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

/** `192.0.2.0 - 192.0.2.255`, `192.0.2.0/24`, `2001:db8::/32`, `AS64496`, `AS64496 - AS64511`. */
function rangeOf(block: RpslObject): [start: string, end: string] {
  const given = block.attributes[0][1].replaceAll(/AS(?=\d)/gi, '');
  // LACNIC omits zeros: `200.3.12/22`.
  const text = given.replace(/^(\d+(?:\.\d+){0,2})(?=\/\d)/, (head) =>
    [...head.split('.'), '0', '0', '0'].slice(0, 4).join('.'),
  );
  const [start, end] = text.split(/\s+-\s+|(?<=\d)-(?=\d)/);
  if (end !== undefined) return [start.trim(), end.trim()];
  const parsed = text.includes('/') ? parseAddressBlock(text.trim()) : undefined;
  return parsed?.ok ? [parsed.cidr.address, lastAddress(parsed.cidr)] : [text.trim(), text.trim()];
}

/** The block with the fewest addresses or numbers; the last one if there are several. */
function narrowestOf(blocks: readonly RpslObject[]): RpslObject | undefined {
  let narrowest: { block: RpslObject; size: bigint } | undefined;
  for (const block of blocks) {
    const [start, end] = rangeOf(block).map(numberOf);
    // An unreadable part is no reason to drop the readable ones.
    const isRange = start !== undefined && end !== undefined && start <= end;
    const size = isRange ? end - start : WIDEST;
    if (narrowest === undefined || size <= narrowest.size) narrowest = { block, size };
  }
  return narrowest?.block;
}

/**
 * The objects that belong to a block: ARIN prints the people of each block behind it, others those of all behind the
 * last.
 */
function objectsOf(block: RpslObject, objects: readonly RpslObject[]): readonly RpslObject[] {
  const from = objects.indexOf(block);
  const next = objects.findIndex(({ className }, at) => at > from && BLOCK_CLASSES.has(className));
  const own = objects.slice(from, next < 0 ? undefined : next);
  const isApart = own.some(({ className }) => Object.hasOwn(CONTACT_CLASSES, className));
  return isApart ? own : objects;
}

const WIDEST = 1n << 128n;

/** An address or AS number as an integer; undefined for anything else. */
function numberOf(text: string): bigint | undefined {
  if (/^\d{1,10}$/.test(text)) return BigInt(text);
  const parsed = parseIpAddress(text);
  if (!parsed.ok) return undefined;
  const { address, version } = parsed.ip;
  if (version === 6)
    return ipv6Groups(address).reduce((sum, group) => (sum << 16n) + BigInt(group), 0n);
  return address.split('.').reduce((sum, byte) => (sum << 8n) + BigInt(byte), 0n);
}

/** LACNIC names the owner in the block itself. */
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

/** ARIN's block has no country, but the organisation that follows it has. */
function countryOfOwner(block: RpslObject, own: readonly RpslObject[]): string | undefined {
  const following = own.slice(own.indexOf(block) + 1);
  const owner = following.find(({ className }) => CONTACT_CLASSES[className] === 'registrant');
  return owner && first(owner, 'country');
}

/** `changed: hm-changed@apnic.net 20050131`, once per change; LACNIC gives only the day. */
function newestChange(block: RpslObject): DateValue | undefined {
  const days = all(block, 'changed').map((text) => /(?:^|\s)(\d{8})$/.exec(text)?.[1]);
  return dateOf(
    days
      .filter((day) => day !== undefined)
      .sort()
      .at(-1),
  );
}

function contactsIn(objects: readonly RpslObject[]): NetworkContact[] {
  return objects.flatMap((object): NetworkContact[] => {
    const role = CONTACT_CLASSES[object.className];
    if (role === undefined) return [];
    const pick = (pattern: RegExp) =>
      object.attributes.filter(([name]) => pattern.test(name)).map(([, value]) => value);
    const emails = pick(/^(e-mail|abuse-mailbox|org\w+email|r\w+email)$/).filter(isEmail);
    const phones = pick(/^(phone|org\w+phone|r\w+phone)$/);
    const names = pick(/^(org-name|orgname|person|role|irt|org\w+name|r\w+name)$/);
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
    return [{ ...Object.fromEntries(published), roles: [role], emails, phones }];
  });
}

/** Searches all possible places: a comment of RIPE's, an `abuse-mailbox`, ARIN's OrgAbuseEmail, an IRT, a remark. */
function abuseIn(
  lines: readonly string[],
  objects: readonly RpslObject[],
  remarks: readonly string[],
): AbuseContact[] {
  const comment = lines
    .map((line) => /^% Abuse contact for .{1,100} is '([^']{3,254})'/.exec(line)?.[1])
    .filter((email) => email !== undefined)
    .map((email) => ({ email, foundIn: 'comment' }));
  const attributes = objects.flatMap(({ className, attributes: given }) =>
    given
      .filter(
        ([name]) =>
          name === 'abuse-mailbox' ||
          name === 'orgabuseemail' ||
          name === 'rabuseemail' ||
          (className === 'irt' && name === 'e-mail'),
      )
      .map(([name, email]) => ({ email, foundIn: className === 'irt' ? 'irt' : name })),
  );
  const found = [...comment, ...attributes].filter(({ email }) => isEmail(email));
  const chosen = found.length > 0 ? found : abuseInRemarks(remarks);
  const unique = new Map<string, AbuseContact>();
  for (const { email, foundIn } of chosen) {
    const address = email.toLowerCase();
    if (!unique.has(address)) unique.set(address, { email: address, foundIn });
  }
  return [...unique.values()];
}

function originsIn(objects: readonly RpslObject[]): number[] {
  const texts = objects.flatMap((object) => all(object, 'origin'));
  const numbers = texts.flatMap((text) => text.match(/\d{1,10}/g) ?? []).map(Number);
  return [...new Set(numbers)];
}

function geofeedIn(remarks: readonly string[]): string | undefined {
  return remarks.map((line) => /^geofeed:?\s+(https:\S+)/i.exec(line)?.[1]).find(Boolean);
}

function dateOf(text: string | undefined): DateValue | undefined {
  return text === undefined ? undefined : parseDate(text, {});
}
