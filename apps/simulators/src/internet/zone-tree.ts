import { reverseDnsName, type IpAddress } from '#libs/domain-names';
import { registrationOf } from '../registrations/registration.js';
import { absolute, apex, domainZone, line, pointers } from './zone-text.js';

/** The server that serves a zone: the root's, the one of all registries, or the one of all other zones. */
export type Level = 'root' | 'registry' | 'hosting';

export interface Zone {
  name: string;
  level: Level;
  /** The zone that delegates this zone; undefined for the root. */
  parent?: string;
  text: string;
  isSigned: boolean;
}

export interface World {
  domains: readonly string[];
  addresses: readonly IpAddress[];
  hosts: ReadonlyMap<string, string>;
  servers: Readonly<Record<Level, string>>;
}

export const ROOT_SERVER = 'a.root-servers.example';
const HOSTING_TLD = 'example';
/** The number of labels that a reverse name has below its zone, which is a /24 (IPv4) or a /64 (IPv6). */
const LABELS_WITHIN = { 4: 1, 6: 16 } as const;

/**
 * Returns the zones of a world, children before their parents: the root, each top-level domain, each registered name,
 * the hosting companies to which name servers belong, and reverse zones below `arpa`. Root and registries are signed; a
 * name is signed if its registration says so.
 */
export function zoneTree(world: World): Zone[] {
  const nameServers = new Set(world.domains.flatMap((name) => registrationOf(name).nameServers));
  const leaves = [
    ...world.domains.map(registeredZone),
    ...hostingZones([...nameServers], world.servers.hosting),
    ...reverseZones(world.addresses, [...nameServers][0]!),
  ];
  const hosts = [
    ...[...world.hosts].map(([host, address]) => ({ host, address })),
    ...[...nameServers].map((host) => ({ host, address: world.servers.hosting })),
  ];
  const tlds = new Set([
    HOSTING_TLD,
    ...leaves.map(({ name }) => tldOf(name)),
    ...hosts.map(({ host }) => tldOf(host)),
  ]);
  const registries = [...tlds].map((tld) => registryZone(tld, { world, leaves, hosts }));
  return [...leaves, ...registries, rootZone([...tlds], world.servers)];
}

function registeredZone(domain: string): Zone {
  const { signed: isSigned } = registrationOf(domain);
  return { ...leaf(domain), text: domainZone(domain), isSigned };
}

function hostingZones(nameServers: readonly string[], address: string): Zone[] {
  const byDomain = Map.groupBy(nameServers, (host) => host.slice(host.indexOf('.') + 1));
  return [...byDomain].map(([domain, hosts]) => ({
    ...leaf(domain),
    text:
      apex(domain, hosts[0]!) + hosts.map((host) => line(absolute(host), 'A', address)).join(''),
    isSigned: false,
  }));
}

function reverseZones(addresses: readonly IpAddress[], server: string): Zone[] {
  const named = addresses.map((ip) => {
    const name = reverseDnsName(ip);
    return { name, zone: name.split('.').slice(LABELS_WITHIN[ip.version]).join('.') };
  });
  return [...Map.groupBy(named, ({ zone }) => zone)].map(([zone, members]) => ({
    ...leaf(zone),
    text: apex(zone, server) + members.map(({ name }) => pointers(name)).join(''),
    isSigned: false,
  }));
}

/**
 * Returns the zone of a registry, which delegates the zones below it and contains the addresses of hosts, as glue and
 * as records.
 */
function registryZone(
  tld: string,
  {
    world,
    leaves,
    hosts,
  }: { world: World; leaves: Zone[]; hosts: { host: string; address: string }[] },
): Zone {
  const server = registryServer(tld);
  const children = leaves.filter(({ parent }) => parent === tld);
  const delegations = children.flatMap(({ name, text }) =>
    serversIn(text, name).map((host) => line(absolute(name), 'NS', host)),
  );
  const own = hosts.filter(({ host }) => tldOf(host) === tld);
  const addresses = own.map(({ host, address }) => line(absolute(host), 'A', address));
  const text =
    apex(tld, server) +
    line(absolute(server), 'A', world.servers.registry) +
    [...delegations, ...addresses].join('');
  return { name: tld, level: 'registry', parent: '.', text, isSigned: true };
}

function rootZone(tlds: readonly string[], servers: World['servers']): Zone {
  const delegations = tlds.map((tld) => {
    const server = absolute(registryServer(tld));
    return line(absolute(tld), 'NS', server) + line(server, 'A', servers.registry);
  });
  const text =
    apex('.', ROOT_SERVER) + line(absolute(ROOT_SERVER), 'A', servers.root) + delegations.join('');
  return { name: '.', level: 'root', text, isSigned: true };
}

function leaf(name: string) {
  return { name, level: 'hosting', parent: tldOf(name) } as const;
}

function serversIn(text: string, zone: string): string[] {
  const lines = text.split('\n').map((one) => one.split(' '));
  return lines
    .filter(([name, , , type]) => type === 'NS' && name === absolute(zone))
    .map((words) => words.at(-1)!);
}

const registryServer = (tld: string) => `ns.nic.${tld}`;
const tldOf = (name: string) => name.slice(name.lastIndexOf('.') + 1);
