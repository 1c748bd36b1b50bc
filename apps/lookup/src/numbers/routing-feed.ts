import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { parseAddressBlock } from '#libs/domain-names';

/** A feed's data about one AS number. */
export interface AsRouting {
  /** Prefixes it originates. */
  routes: readonly string[];
  /** AS numbers that sell it transit, that buy transit from it, and that it peers with. */
  upstreams: readonly number[];
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

/** A file with more lines than this share that cannot be read is another file. */
const UNREADABLE_MAX = 0.01;
const ASN = /^\d{1,10}$/;
const NOBODY: readonly never[] = [];

/** Routes and relations of AS numbers, which no registry knows, from files of the public formats. */
export class RoutingFeed {
  private readonly neighbours = new Map<number, Neighbours>();
  private readonly routes = new Map<number, string[]>();

  private constructor(
    readonly hasRelations: boolean,
    readonly hasRoutes: boolean,
  ) {}

  /**
   * Reads the files that are named; a name that ends with `.gz` is unpacked.
   *
   * @throws Error for a file that is not there or of another format.
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
    return { routes: this.routes.get(asn) ?? NOBODY, upstreams, downstreams, peers };
  }

  /** `provider|customer|-1` or `peer|peer|0`, in serial-2 with a source behind it. */
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

  /** `prefix length origin`; several origins stand as `1_2`, a set of them as `1,2`. */
  private takeOrigin(line: string): boolean {
    const [address, length, origins = ''] = line.split('\t', 3);
    const block = `${address}/${length}`;
    const asns = origins.split(/[_,]/);
    if (!parseAddressBlock(block).ok || !asns.every(isAsn)) return false;
    for (const asn of asns) {
      const routes = this.routes.get(Number(asn));
      if (routes) routes.push(block);
      else this.routes.set(Number(asn), [block]);
    }
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

const NO_NEIGHBOURS = { upstreams: NOBODY, downstreams: NOBODY, peers: NOBODY };

function isAsn(text: string | undefined): boolean {
  return text !== undefined && ASN.test(text) && Number(text) < 2 ** 32;
}

async function readLines(path: string, take: (line: string) => boolean): Promise<void> {
  const file = createReadStream(path);
  const unpacked = path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
  // A fault of the file ends its reading, not only that of what is unpacked.
  file.on('error', (error) => unpacked.destroy(error));
  let [taken, refused] = [0, 0];
  for await (const line of createInterface({ input: unpacked, crlfDelay: Infinity })) {
    if (line === '' || line.startsWith('#')) continue;
    if (take(line)) taken += 1;
    else refused += 1;
  }
  if (taken === 0 || refused > (taken + refused) * UNREADABLE_MAX) {
    throw new Error(`${path}: ${refused} of ${taken + refused} lines cannot be read`);
  }
}
