import { BlockList } from 'node:net';
import type { Cidr } from '#libs/domain-names';
import vendored from './tables.json' with { type: 'json' };

export interface NumberTables {
  /** When IANA published the newest of the three tables, `YYYY-MM-DD`. */
  publishedOn: string;
  ipv4: Readonly<Record<string, readonly string[]>>;
  ipv6: Readonly<Record<string, readonly string[]>>;
  /** The AS numbers in the same form, as ranges `first-last` or as individual numbers. */
  asn: Readonly<Record<string, readonly string[]>>;
}

export interface NumberRoute {
  registry: string;
  rdapBaseUrl: string;
  whoisServer: string;
}

/** The five regional registries, by the host of their RDAP service. */
const REGISTRIES: ReadonlyMap<string, { registry: string; whoisServer: string }> = new Map([
  ['rdap.afrinic.net', { registry: 'afrinic', whoisServer: 'whois.afrinic.net' }],
  ['rdap.apnic.net', { registry: 'apnic', whoisServer: 'whois.apnic.net' }],
  ['rdap.arin.net', { registry: 'arin', whoisServer: 'whois.arin.net' }],
  ['rdap.db.ripe.net', { registry: 'ripe', whoisServer: 'whois.ripe.net' }],
  ['rdap.lacnic.net', { registry: 'lacnic', whoisServer: 'whois.lacnic.net' }],
]);

interface Prefix {
  prefixLength: number;
  list: BlockList;
  route: NumberRoute;
}

/** Finds the registry of an address or an AS number (RFC 9224 §5: the longest prefix wins). */
export class NumberRegistries {
  private readonly prefixes: Record<4 | 6, Prefix[]>;
  private readonly ranges: { first: number; last: number; route: NumberRoute }[];

  constructor(tables: NumberTables) {
    this.prefixes = { 4: prefixesOf(tables.ipv4, 'ipv4'), 6: prefixesOf(tables.ipv6, 'ipv6') };
    this.ranges = entries(tables.asn).map(([range, route]) => {
      const [first, last = first] = range.split('-').map(Number);
      return { first, last, route };
    });
  }

  static vendored(): NumberRegistries {
    return new NumberRegistries(vendored);
  }

  /** Finds the registry of a block. @returns undefined for blocks that IANA has not assigned to a registry. */
  routeOfBlock({ address, version, prefixLength }: Cidr): NumberRoute | undefined {
    const family = version === 4 ? 'ipv4' : 'ipv6';
    return this.prefixes[version].find(
      (one) => one.prefixLength <= prefixLength && one.list.check(address, family),
    )?.route;
  }

  /** Returns the regional registry with an RDAP service at a URL; undefined for any other server. */
  registryAt(server: string): string | undefined {
    return REGISTRIES.get(URL.parse(server)?.hostname ?? '')?.registry;
  }

  routeOfAsn(asn: number): NumberRoute | undefined {
    return this.ranges.find(({ first, last }) => first <= asn && asn <= last)?.route;
  }
}

/** Returns the prefixes, the longest first. */
function prefixesOf(table: NumberTables['ipv4'], family: 'ipv4' | 'ipv6'): Prefix[] {
  return entries(table)
    .map(([block, route]) => {
      const [address, prefix] = block.split('/');
      const list = new BlockList();
      list.addSubnet(address, Number(prefix), family);
      return { prefixLength: Number(prefix), list, route };
    })
    .toSorted((a, b) => b.prefixLength - a.prefixLength);
}

function entries(table: NumberTables['ipv4']): [string, NumberRoute][] {
  return Object.entries(table).flatMap(([rdapBaseUrl, ranges]) => {
    const registry = REGISTRIES.get(new URL(rdapBaseUrl).hostname);
    return registry === undefined
      ? []
      : ranges.map((range): [string, NumberRoute] => [range, { ...registry, rdapBaseUrl }]);
  });
}
