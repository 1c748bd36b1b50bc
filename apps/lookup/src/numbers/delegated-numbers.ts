import { blocksOfRange, lastAddressOf, parseAddressBlock, parseAsn } from '#libs/domain-names';
import { readLines } from './public-file.js';

/** The resources that a regional registry has allocated to one holder. */
interface Holding {
  asns: [first: number, last: number][];
  blocks: string[];
}

/**
 * Finds the address blocks of the holder of an AS number, from the registries' statistics files (NRO extended
 * allocation and assignment reports). The files do not name holders; they only show which resources belong to the same
 * holder.
 */
export class DelegatedNumbers {
  private readonly holdings = new Map<string, Holding>();
  /** Ranges of AS numbers in ascending order, each with the resources of its holder. */
  private ranges: { first: number; last: number; holding: Holding }[] = [];

  private constructor(readonly isLoaded: boolean) {}

  /** Loads the statistics files. @throws Error for a file that is missing or has a different format. */
  static async load(files: readonly string[]): Promise<DelegatedNumbers> {
    const numbers = new DelegatedNumbers(files.length > 0);
    for (const file of files) await readLines(file, (line) => numbers.take(line));
    numbers.order();
    return numbers;
  }

  /** Returns the address blocks of an AS number's holder; undefined if no file lists the number as allocated. */
  blocksOf(asn: number): readonly string[] | undefined {
    let [from, to] = [0, this.ranges.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.ranges[middle].last < asn) from = middle + 1;
      else to = middle;
    }
    const range = this.ranges[from];
    return range && range.first <= asn ? range.holding.blocks : undefined;
  }

  /**
   * Reads a line `registry|country|type|start|value|date|status|holder`; a version line and summary lines precede these
   * lines. @returns false if the line cannot be read.
   */
  private take(line: string): boolean {
    const [registry, , type, start, value, date, status, holder] = line.split('|');
    if (/^[0-9.]+$/.test(registry) || date === 'summary') return true;
    if (!ALLOCATED.has(status)) return NOT_ALLOCATED.has(status);
    if (holder === undefined || holder === '') return false;
    const holding = this.holdingOf(`${registry} ${holder}`);
    const count = Number(value);
    if (!Number.isInteger(count) || count < 1) return false;
    if (type === 'asn') {
      const first = parseAsn(start);
      if (first.ok) holding.asns.push([first.asn, first.asn + count - 1]);
      return first.ok;
    }
    const blocks = blocksOf(type, start, count);
    holding.blocks.push(...blocks);
    return blocks.length > 0;
  }

  private holdingOf(holder: string): Holding {
    const known = this.holdings.get(holder);
    if (known) return known;
    const holding = { asns: [], blocks: [] };
    this.holdings.set(holder, holding);
    return holding;
  }

  /** Sorts the ranges. Holders without an AS number are dropped, because their resources are never looked up. */
  private order(): void {
    this.ranges = [...this.holdings.values()]
      .flatMap((holding) => holding.asns.map(([first, last]) => ({ first, last, holding })))
      .toSorted((a, b) => a.first - b.first);
    this.holdings.clear();
  }
}

const ALLOCATED = new Set(['allocated', 'assigned']);
const NOT_ALLOCATED = new Set(['available', 'reserved']);

/**
 * Returns the blocks of a line. The value of an IPv4 range is its number of addresses; that of an IPv6 block is its
 * prefix length.
 */
function blocksOf(type: string, start: string, value: number): string[] {
  const parsed = parseAddressBlock(type === 'ipv6' ? `${start}/${value}` : start);
  if (!parsed.ok || (type !== 'ipv4' && type !== 'ipv6')) return [];
  const { address, version, prefixLength } = parsed.cidr;
  if (type === 'ipv6') return version === 6 ? [`${address}/${prefixLength}`] : [];
  return version === 4 ? blocksOfRange(address, lastAddressOf(parsed.cidr, value)) : [];
}
