import { isIPv4, isIPv6 } from 'node:net';
import { answeredSources } from '#libs/contracts';
import { parseHostName, parseIpAddress } from '#libs/domain-names';
import { keptTypeNumber, targetOf } from '../dns/dns-type.js';
import { visibleText } from '../names/folded.js';
import { type FiledName, fileName, filedName } from '../names/registrable-name.js';
import { instantOf } from './instant.js';
import { registrationOf } from '../records/registration.js';
import type { DnsObservation, DnsValue, Observation } from '../records/observation.js';

type Line = Readonly<Record<string, unknown>>;

const VALUES_MAX = 200;
const VALUE_LENGTH_MAX = 4_096;
const RESERVED_TLD = 'test';
/** The types whose values have a certain format. IPv6 addresses in records have no interface name after `%`. */
const FORMATS: readonly (readonly [string, (value: string) => boolean])[] = [
  ['A', isIPv4],
  ['AAAA', (value) => isIPv6(value) && !value.includes('%')],
  ['MX', (value) => /^\d{1,5} \S+$/.test(value)],
  ['SOA', (value) => /^\S+ \S+$/.test(value)],
];

/**
 * Reads one observation from a line of JSON:
 *
 * - `{"kind":"whois","name":"example.com","at":"2026-11-20T11:42:03Z","complete":true,"record":{…},"raw":"…"}`;
 *   `record` has the members of the public answer. With
 *   `"answered_by":[{"role":"registry","protocol":"rdap","outcome":"delivered"}]`, the queried servers as in
 *   `provenance.sources`, the record is compared with answers of such servers.
 * - `{"kind":"dns","name":"www.example.com","at":…,"types":["A"],"records":[{"type":"A","value":"192.0.2.1"}]}`; with
 *   `"registered":false`, it is stored only for a known name.
 * - `{"kind":"passive","name":…,"at":…,"until":…,"type":"A","value":"192.0.2.1"}`
 * - `{"kind":"host","name":"www.example.com","at":…,"resolved":true}`
 * - `{"kind":"listed","name":…,"at":…}`, `{"kind":"gone","name":…,"at":…}`
 *
 * @returns undefined for any other line, or one about a reserved name.
 */
export function observationOf(line: Line): Observation | undefined {
  const at = timeOf(line.at);
  const named = namesOf(line.name);
  if (!at || !named) return undefined;
  const { name, host } = named;
  switch (line.kind) {
    case 'whois':
      if (typeof line.record !== 'object' || line.record === null) return undefined;
      return {
        kind: 'whois',
        name,
        at,
        isComplete: line.complete !== false,
        registration: registrationOf(line.record as Line),
        answeredBy: answeredSources(line.answered_by).join(),
        ...(typeof line.raw === 'string' && { raw: line.raw.replaceAll('\u0000', '') }),
      };
    case 'dns':
      return dnsOf(line, { name, host, at });
    case 'passive': {
      const until = timeOf(line.until);
      const value = valueOf(line);
      if (!until || until < at || !value) return undefined;
      return { kind: 'passive', name, host, at, until, ...value };
    }
    case 'host': {
      const hasResolved = typeof line.resolved === 'boolean' ? line.resolved : null;
      return host === '' ? undefined : { kind: 'host', name, host, at, hasResolved };
    }
    case 'listed':
    case 'gone':
      return { kind: line.kind, name, at };
    default:
      return undefined;
  }
}

export function readObservations(text: string): { observations: Observation[]; bad: number } {
  const observations: Observation[] = [];
  let bad = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const observation = observationOfText(line);
    if (observation) observations.push(observation);
    else bad++;
  }
  return { observations, bad };
}

/** Reads the observation in a JSON line. @returns undefined for an invalid line. */
export function observationOfText(line: string): Observation | undefined {
  return observationOf(parsedLine(line));
}

/** Parses the object in a JSON line. @returns an empty object if the line has no object. */
export function parsedLine(line: string): Line {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Line) : {};
  } catch {
    return {};
  }
}

function namesOf(text: unknown): { name: FiledName; host: string } | undefined {
  if (typeof text !== 'string') return undefined;
  const wildcard = text.startsWith('*.') ? '*' : '';
  const rest = wildcard ? text.slice(2) : text;
  const parsedHost = parseHostName(rest);
  if (!parsedHost.ok) {
    const name = fileName(rest);
    return name && { name, host: wildcard };
  }
  const { host, domain } = parsedHost.hostName;
  if (domain.tld === RESERVED_TLD) return undefined;
  const below = host.slice(0, Math.max(0, host.length - domain.name.length - 1));
  return { name: filedName(domain), host: [wildcard, below].filter(Boolean).join('.') };
}

function timeOf(text: unknown): Date | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  const time = typeof text === 'number' ? new Date(text * 1000) : instantOf(text);
  const isKnown = time !== undefined && time.getTime() >= EARLIEST && time.getTime() <= LATEST;
  return isKnown ? time : undefined;
}

/** The earliest valid time: the DNS began in 1983. */
const EARLIEST = Date.UTC(1983, 0, 1);
const LATEST = Date.UTC(2199, 11, 31);

function dnsOf(line: Line, seen: { name: FiledName; host: string; at: Date }): DnsObservation {
  const values = valuesOf(line);
  const isProof = line.registered !== false && values.length > 0;
  return { kind: 'dns', ...seen, types: typesOf(line.types), values, isProof };
}

function typesOf(types: unknown): number[] {
  if (!Array.isArray(types)) return [];
  const numbers = types.map(keptTypeNumber);
  return [...new Set(numbers.filter((number) => number !== undefined))];
}

/**
 * Reads the records, each once, and at most `VALUES_MAX` of each type. Servers send records in any order, so the values
 * decide which ones are kept; otherwise, each observation would show a change. Records with the same host or name
 * server (`targetOf`) have one key, so only the first of them is kept: of an MX host with two preferences, the lower
 * preference.
 */
function valuesOf({ records }: Line): DnsValue[] {
  if (!Array.isArray(records)) return [];
  const values = records.flatMap((record) => valueOf((record ?? {}) as Line) ?? []);
  const known = new Map<string, DnsValue>();
  for (const one of values.toSorted(inOrder)) {
    const target = `${one.rtype} ${targetOf(one.rtype, one.value)}`;
    if (!known.has(target)) known.set(target, one);
  }
  const byType = Map.groupBy(known.values(), ({ rtype }) => rtype);
  return [...byType.values()].flatMap((own) => own.slice(0, VALUES_MAX));
}

/** Compares values by length and text. Of two with the same target, the shorter one has the lower number. */
function inOrder({ value: a }: DnsValue, { value: b }: DnsValue): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}

function valueOf({ type, value }: Line): DnsValue | undefined {
  const rtype = keptTypeNumber(type);
  if (rtype === undefined || typeof value !== 'string') return undefined;
  const text = visibleText(value.slice(0, VALUE_LENGTH_MAX));
  const clean = plainValue(type as string, text);
  const isWrong = FORMATS.some(([one, isValid]) => one === type && !isValid(clean));
  return clean === '' || isWrong ? undefined : { rtype, value: clean };
}

/**
 * Returns a value in the form of our own answers, so that values that sources write differently agree. Text stays as
 * written; names are in lower case without the final dot; addresses are as in RFC 5952. An SOA record becomes its name
 * server and mailbox, because its numbers change with each edit of the zone.
 */
function plainValue(type: string, text: string): string {
  if (type === 'TXT') return text;
  const lower = text.toLowerCase();
  if (type === 'A' || type === 'AAAA') {
    const parsed = parseIpAddress(lower);
    return parsed.ok ? parsed.ip.address : lower;
  }
  const words = lower.split(' ').map((word) => word.replace(/(?<=.)\.$/, ''));
  return (type === 'SOA' ? words.slice(0, 2) : words).join(' ');
}
