import { type Cidr, parseAddressBlock, parseCidr } from '#libs/domain-names';
import { readLines } from './public-file.js';

export interface AsRouting {
  /** The prefixes that the AS originates. */
  routes: readonly string[];
  /** The ASes that sell transit to this AS. */
  upstreams: readonly number[];
  /** The ASes that buy transit from this AS. */
  downstreams: readonly number[];
  peers: readonly number[];
}

export interface RoutingFiles {
  /** CAIDA's AS relationships (serial-1, serial-2). */
  relations?: string;
  /** CAIDA's RouteViews prefix-to-AS mappings (pfx2as). */
  origins?: string;
}

interface Neighbours {
  upstreams: number[];
  downstreams: number[];
  peers: number[];
}

const ASN = /^\d{1,10}$/;
const NOBODY: readonly never[] = [];
/** The lengths of the shortest prefixes that a registry allocates to one holder. */
const SHORTEST = { 4: 8, 6: 16 } as const;

/** The most specific prefix that contains a block, with its origins. */
export interface AnnouncedPrefix {
  prefix: string;
  origins: readonly number[];
}

/**
 * Reads routes and relationships of AS numbers from files in public formats, because registries do not publish them.
 */
export class RoutingFeed {
  private readonly neighbours = new Map<number, Neighbours>();
  private readonly routes = new Map<number, string[]>();
  /** The origins of prefixes; most prefixes have one. */
  private readonly origins = new Map<string, number | readonly number[]>();
  /** The prefix lengths that occur in the feed, by address version. */
  private readonly lengths = { 4: new Set<number>(), 6: new Set<number>() };

  private constructor(
    readonly hasRelations: boolean,
    readonly hasRoutes: boolean,
  ) {}

  /**
   * Reads the configured files; a file whose name ends in `.gz` is decompressed.
   *
   * @throws Error for a file that is missing or has a different format.
   */
  static async load({ relations, origins }: RoutingFiles): Promise<RoutingFeed> {
    const feed = new RoutingFeed(relations !== undefined, origins !== undefined);
    if (relations !== undefined) await readLines(relations, (line) => feed.takeRelation(line));
    if (origins !== undefined) await readLines(origins, (line) => feed.takeOrigin(line));
    return feed;
  }

  get isLoaded(): boolean {
    return this.hasRelations || this.hasRoutes;
  }

  of(asn: number): AsRouting {
    const { upstreams, downstreams, peers } = this.neighbours.get(asn) ?? NO_NEIGHBOURS;
    // Several lines from different sources may be about the same two AS numbers.
    const others = (asns: readonly number[]) => [...new Set(asns)].filter((one) => one !== asn);
    return {
      routes: this.routes.get(asn) ?? NOBODY,
      upstreams: others(upstreams),
      downstreams: others(downstreams),
      peers: others(peers),
    };
  }

  /** Returns the longest announced prefix that contains a block; undefined if there is none. */
  prefixOf({ address, version, prefixLength }: Cidr): AnnouncedPrefix | undefined {
    const lengths = [...this.lengths[version]].filter((length) => length <= prefixLength);
    for (const length of lengths.toSorted((a, b) => b - a)) {
      const prefix = textOf(`${address}/${length}`);
      const origins = prefix === undefined ? undefined : this.origins.get(prefix);
      if (origins !== undefined) {
        return { prefix: prefix!, origins: typeof origins === 'number' ? [origins] : origins };
      }
    }
    return undefined;
  }

  /**
   * Reads a line `provider|customer|-1` or `peer|peer|0`; in serial-2, the source follows. @returns false for any other
   * line.
   */
  private takeRelation(line: string): boolean {
    const [first, second, kind] = line.split('|', 3);
    if (!isAsn(first) || !isAsn(second) || (kind !== '-1' && kind !== '0')) return false;
    const [one, other] = [Number(first), Number(second)];
    if (kind === '0') {
      this.neighboursOf(one).peers.push(other);
      this.neighboursOf(other).peers.push(one);
    } else {
      this.neighboursOf(one).downstreams.push(other);
      this.neighboursOf(other).upstreams.push(one);
    }
    return true;
  }

  /**
   * Reads a line `prefix length origin`; several origins are written as `1_2`, a set as `1,2`. @returns false for any
   * other line.
   */
  private takeOrigin(line: string): boolean {
    const [address, length, origins = ''] = line.split('\t', 3);
    const parsed = parseAddressBlock(`${address}/${length}`);
    const texts = origins.split(/[_,]/);
    if (!parsed.ok || !texts.every(isAsn)) return false;
    const { cidr } = parsed;
    const block = `${cidr.address}/${cidr.prefixLength}`;
    // A default route covers all addresses, and says nothing about who holds an address.
    if (cidr.prefixLength < SHORTEST[cidr.version]) return true;
    const known = [this.origins.get(block) ?? NOBODY].flat();
    const fresh = [...new Set(texts.map(Number))].filter((asn) => !known.includes(asn));
    const asns = [...known, ...fresh];
    for (const asn of fresh) {
      const routes = this.routes.get(asn);
      if (routes) routes.push(block);
      else this.routes.set(asn, [block]);
    }
    this.origins.set(block, asns.length === 1 ? asns[0] : asns);
    this.lengths[cidr.version].add(cidr.prefixLength);
    return true;
  }

  private neighboursOf(asn: number): Neighbours {
    const known = this.neighbours.get(asn);
    if (known) return known;
    const neighbours = { upstreams: [], downstreams: [], peers: [] };
    this.neighbours.set(asn, neighbours);
    return neighbours;
  }
}

function textOf(block: string): string | undefined {
  const parsed = parseCidr(block);
  return parsed.ok ? `${parsed.cidr.address}/${parsed.cidr.prefixLength}` : undefined;
}

const NO_NEIGHBOURS = { upstreams: NOBODY, downstreams: NOBODY, peers: NOBODY };

function isAsn(text: string | undefined): boolean {
  return text !== undefined && ASN.test(text) && Number(text) < 2 ** 32;
}
