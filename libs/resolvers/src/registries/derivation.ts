import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '#libs/platform';
import { CLOSED_PORT43, CORRECTED_PORT43, DEAD_HOSTS, RDAP_BESIDE_IANA } from './corrections.js';
import type { RegistryTables } from './registries.js';

const LOSS_MAX = 0.1;

/** A source that moves more than this share of its suffixes to other services is not trusted. */
const MOVE_MAX = 0.1;

/** A host name below a top-level domain that begins with a letter, without address, port, credentials or path. */
const HOST_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;

interface Bootstrap {
  publication: string;
  services: [suffixes: string[], urls: string[]][];
}

type WhoisServers = Record<string, { host?: string; updated?: string }>;

/**
 * Derives the tables from a folder with IANA's RDAP bootstrap file (RFC 9224), the list of delegated top-level domains,
 * and a list of port-43 hosts.
 *
 * @throws Error if a file is missing or is not JSON.
 */
export function deriveTables(folder: string): RegistryTables {
  const bootstrap = read(folder, 'dns.json', 'iana-rdap-dns.json') as Bootstrap;
  const servers = read(folder, 'whois-servers-tld.json') as WhoisServers;
  const delegated = new Set(delegatedIn(folder));
  const rdap = bootstrap.services
    // Services with http only are left out, because their answers could be forged on the way.
    .flatMap(([suffixes, urls]) =>
      urls.filter(isHttps).map((url) => ({ url: slashed(url), suffixes })),
    )
    .concat(Object.entries(RDAP_BESIDE_IANA).map(([suffix, url]) => ({ url, suffixes: [suffix] })));
  const whois = Object.entries({ ...hostsOf(servers), ...CORRECTED_PORT43 }).filter(
    ([suffix, host]) =>
      delegated.has(suffix.slice(suffix.lastIndexOf('.') + 1)) &&
      !CLOSED_PORT43.has(suffix) &&
      !DEAD_HOSTS.has(host),
  );
  return {
    publishedOn: bootstrap.publication.slice(0, 10),
    portsReadOn: servers['_']?.updated?.slice(0, 10) ?? '',
    rdap: grouped(rdap.flatMap(({ url, suffixes }) => suffixes.map((suffix) => [suffix, url]))),
    whois: grouped(whois),
    tlds: [...delegated].toSorted(),
  };
}

/**
 * True for an https URL with a host name and no port, user or query. Otherwise, the author of a source could choose
 * where else we connect.
 */
function isHttps(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url?.protocol === 'https:' &&
    url.port === '' &&
    url.username === '' &&
    url.search === '' &&
    HOST_NAME.test(url.hostname)
  );
}

/** Returns a base URL with the final slash, to which the path of an object is appended (RFC 9224 §3). */
const slashed = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

function hostsOf(servers: WhoisServers): Record<string, string> {
  const hosts = Object.entries(servers).flatMap(([suffix, { host }]) =>
    host === undefined || !HOST_NAME.test(host) ? [] : [[suffix, host] as const],
  );
  return Object.fromEntries(hosts);
}

/** Returns the suffixes of each service, all sorted; a suffix stays with the first service that names it. */
function grouped(pairs: string[][]): Record<string, string[]> {
  const services = new Map<string, string[]>();
  const seen = new Set<string>();
  for (const [suffix = '', service = ''] of pairs) {
    if (seen.has(suffix)) continue;
    seen.add(suffix);
    services.set(service, [...(services.get(service) ?? []), suffix].toSorted());
  }
  return Object.fromEntries([...services].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function read(folder: string, ...files: readonly string[]): unknown {
  const file = files.find((one) => existsSync(join(folder, one))) ?? files[0];
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

/** Reads IANA's own list, which has one upper-case name per line below a comment, or the same names in JSON. */
function delegatedIn(folder: string): string[] {
  const list = join(folder, 'tlds-alpha-by-domain.txt');
  if (!existsSync(list)) return (read(folder, 'iana-tlds.json') as { tlds: string[] }).tlds;
  const lines = readFileSync(list, 'utf8').split(/\r?\n/);
  return lines.filter((line) => /^[a-z0-9-]+$/i.test(line)).map((line) => line.toLowerCase());
}

/**
 * Compares new tables with the old ones. @throws Error for tables with too few entries, too many moved suffixes, or an
 * older date.
 */
export function refuseSuspicious(before: RegistryTables, after: RegistryTables): void {
  if (after.publishedOn < before.publishedOn) {
    throw new Error(`Published on ${after.publishedOn}, ours on ${before.publishedOn}: refused`);
  }
  for (const table of ['rdap', 'whois', 'tlds'] as const) {
    const [old, now] = [before, after].map((tables) => Object.values(tables[table]).flat().length);
    if ((now ?? 0) < (old ?? 0) * (1 - LOSS_MAX)) {
      throw new Error(
        `The ${table} table fell from ${old} to ${counted(now, 'entry', 'entries')}: refused`,
      );
    }
  }
  for (const table of ['rdap', 'whois'] as const) {
    const [old, now] = [before, after].map((tables) => servicesOf(tables[table]));
    const moved = [...old!].filter(
      ([suffix, service]) => (now!.get(suffix) ?? service) !== service,
    );
    if (moved.length > old!.size * MOVE_MAX) {
      throw new Error(`The ${table} table sends ${moved.length} suffixes elsewhere: refused`);
    }
  }
}

export function servicesOf(
  table: Readonly<Record<string, readonly string[]>>,
): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([service, suffixes]) =>
      suffixes.map((suffix): [string, string] => [suffix, service]),
    ),
  );
}

/**
 * Writes the tables of this release: `npm run registries -- <folder>`, then commit the changes.
 * @returns a summary of the tables.
 * @throws the errors of `deriveTables` and `refuseSuspicious`.
 */
export function writeTables(folder: string, target: string): string {
  const tables = deriveTables(folder);
  if (existsSync(target)) {
    refuseSuspicious(JSON.parse(readFileSync(target, 'utf8')) as RegistryTables, tables);
  }
  writeFileSync(target, tablesText(tables));
  const count = (entries: RegistryTables['rdap']) => Object.values(entries).flat().length;
  return `${count(tables.rdap)} suffixes with RDAP, ${count(tables.whois)} with port 43, ${tables.tlds.length} top-level domains`;
}

/** Formats the tables as JSON with one service per line, so that a diff is readable. */
export function tablesText({
  publishedOn,
  portsReadOn,
  rdap,
  whois,
  tlds,
}: RegistryTables): string {
  const object = (entries: RegistryTables['rdap']) =>
    Object.entries(entries)
      .map(([service, suffixes]) => `    ${JSON.stringify(service)}: ${JSON.stringify(suffixes)}`)
      .join(',\n');
  return (
    `{\n  "publishedOn": ${JSON.stringify(publishedOn)},\n` +
    `  "portsReadOn": ${JSON.stringify(portsReadOn)},\n` +
    `  "rdap": {\n${object(rdap)}\n  },\n  "whois": {\n${object(whois)}\n  },\n` +
    `  "tlds": ${JSON.stringify(tlds)}\n}\n`
  );
}
