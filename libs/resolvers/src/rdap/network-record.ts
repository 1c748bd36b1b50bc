import {
  blocksOfRange,
  type Cidr,
  lastAddress,
  parseAsn,
  parseCidr,
  parseIpAddress,
} from '#libs/domain-names';
import type { Contact, ContactRole, DateValue, Redaction } from '../record.js';
import { entitiesOf, readContacts } from './entities.js';
import { readEvents } from './events.js';
import { linesIn, listIn, objectsIn, present, textIn } from './json-reading.js';
import type { JsonObject } from './rdap-client.js';
import { hostName } from './rdap-record.js';
import { rdapUrl } from './rdap-url.js';
import { readRedactions } from './redactions.js';

/** What every number resource and name server publishes of itself. */
export interface ResourceRecord {
  handle?: string;
  name?: string;
  /** Kind of allocation, in the registry's words (`DIRECT ALLOCATION`). */
  type?: string;
  countryCode?: string;
  created?: DateValue;
  updated?: DateValue;
  /** Lower case. */
  statuses: string[];
  contacts: Partial<Record<ContactRole, Contact>>;
  remarks: string[];
  redactions: Redaction[];
  /** The older port-43 service of the registry, a host name. */
  whoisServer?: string;
}

/** An IP network (RFC 9083 §5.4). */
export interface NetworkRecord extends ResourceRecord {
  /** First and last address, in their ordinary form. */
  startAddress: string;
  endAddress: string;
  version: 4 | 6;
  /** The blocks that make up the range, in order. */
  cidrs: string[];
  parentHandle?: string;
  /** Where the holder says in which places the addresses are used (RFC 9877), https only. */
  geofeedUrl?: string;
  /** Autonomous systems that may announce the network, where the registry says so. */
  originAsns: number[];
}

/** A range of autonomous system numbers, mostly of one (RFC 9083 §5.5). */
export interface AutnumRecord extends ResourceRecord {
  startAsn: number;
  endAsn: number;
}

/** A name server (RFC 9083 §5.2). */
export interface NameServerRecord extends ResourceRecord {
  /** Lower case A-labels without the last dot. */
  host: string;
  addresses: string[];
}

/** Reads an IP network; undefined when the object says of no range that it is one. */
export function readRdapNetwork(json: JsonObject): NetworkRecord | undefined {
  if (!isOfClass(json, 'ip network')) return undefined;
  const range = rangeOf(json);
  if (range === undefined) return undefined;
  return present<NetworkRecord>({
    ...readResource(json),
    ...range,
    parentHandle: textIn(json['parentHandle']),
    geofeedUrl: geofeedOf(json),
    originAsns: originsOf(json),
  });
}

/** Reads a range of autonomous system numbers; undefined when there is none in the object. */
export function readRdapAutnum(json: JsonObject): AutnumRecord | undefined {
  if (!isOfClass(json, 'autnum')) return undefined;
  const handle = asnIn(json['handle']);
  const startAsn = asnIn(json['startAutnum']) ?? handle;
  const endAsn = asnIn(json['endAutnum']) ?? startAsn;
  if (startAsn === undefined || endAsn === undefined || endAsn < startAsn) return undefined;
  return present<AutnumRecord>({ ...readResource(json), startAsn, endAsn });
}

/** Reads a name server; undefined without a host name. */
export function readRdapNameServer(json: JsonObject): NameServerRecord | undefined {
  if (!isOfClass(json, 'nameserver')) return undefined;
  const host = hostName(json['ldhName']) ?? hostName(json['unicodeName']);
  if (host === undefined) return undefined;
  return present<NameServerRecord>({ ...readResource(json), host, addresses: addressesOf(json) });
}

function readResource(json: JsonObject): ResourceRecord {
  const { contacts, redactions } = readContacts(entitiesOf(json));
  const { created, updated } = readEvents(json);
  return present<ResourceRecord>({
    handle: textIn(json['handle']),
    name: textIn(json['name']),
    type: textIn(json['type']),
    countryCode: countryIn(json['country']),
    created,
    updated,
    statuses: statusesOf(json),
    contacts,
    remarks: objectsIn(json['remarks']).flatMap(({ description }) => linesIn(description)),
    redactions: [...readRedactions(json), ...redactions],
    whoisServer: hostName(json['port43']),
  });
}

/** Servers leave the class out, but none names a wrong one. */
function isOfClass(json: JsonObject, name: string): boolean {
  return (textIn(json['objectClassName'])?.toLowerCase() ?? name) === name;
}

/** The range by its first and last address, else by the blocks of the extension `cidr0`. */
function rangeOf(json: JsonObject) {
  const blocks = objectsIn(json['cidr0_cidrs']).flatMap(blockIn);
  const [first, last] = [blocks[0], blocks.at(-1)];
  const start = addressIn(json['startAddress']) ?? first;
  const end = addressIn(json['endAddress'])?.address ?? (last && lastAddress(last));
  if (start === undefined || end === undefined) return undefined;
  const { address: startAddress, version } = start;
  const cidrs = blocksOfRange(startAddress, end);
  return cidrs.length === 0 ? undefined : { startAddress, endAddress: end, version, cidrs };
}

/** An address, also where a server writes the block's length behind it or zeros before its numbers. */
function addressIn(value: unknown) {
  const [text] = (textIn(value) ?? '').split('/', 1);
  const plain = text.includes(':') ? text : text.replace(/\b0+(?=\d)/g, '');
  const parsed = parseIpAddress(plain);
  return parsed.ok ? parsed.ip : undefined;
}

/** A block as the extension `cidr0` writes it: `{ v4prefix: '192.0.2.0', length: 24 }`. */
function blockIn(block: JsonObject): Cidr[] {
  const prefix = textIn(block['v4prefix']) ?? textIn(block['v6prefix']);
  const parsed = parseCidr(`${prefix}/${textIn(block['length'])}`);
  return parsed.ok ? [parsed.cidr] : [];
}

function statusesOf(json: JsonObject): string[] {
  const { status } = json;
  const words = (Array.isArray(status) ? listIn(status) : [status]).map(textIn);
  return [...new Set(words.flatMap((word) => word?.toLowerCase() ?? []))];
}

function asnIn(value: unknown): number | undefined {
  const parsed = parseAsn(textIn(value) ?? '');
  return parsed.ok ? parsed.asn : undefined;
}

function originsOf(json: JsonObject): number[] {
  const numbers = json['arin_originas0_originautnums'];
  if (!Array.isArray(numbers)) return [];
  return numbers.slice(0, 100).flatMap((number) => asnIn(number) ?? []);
}

function geofeedOf(json: JsonObject): string | undefined {
  const link = objectsIn(json['links']).find(
    ({ rel }) => textIn(rel)?.toLowerCase() === 'geofeed' || textIn(rel) === 'geo',
  );
  return rdapUrl(textIn(link?.['href']) ?? '')?.href;
}

function addressesOf(json: JsonObject): string[] {
  const { ipAddresses } = json;
  const groups = objectsIn([ipAddresses]).flatMap(({ v4, v6 }) => [...linesIn(v4), ...linesIn(v6)]);
  const parsed = groups.map((address) => parseIpAddress(address));
  return [...new Set(parsed.flatMap((one) => (one.ok ? [one.ip.address] : [])))];
}

function countryIn(value: unknown): string | undefined {
  const text = textIn(value)?.toUpperCase();
  return text !== undefined && /^[A-Z]{2}$/.test(text) ? text : undefined;
}
