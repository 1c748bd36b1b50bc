import { createHash } from 'node:crypto';

/** The number of hashes per tile; one hash of the next level combines as many. */
export const TILE_HASHES = 256;
const LEVELS_OF_TILE = 8;
export const HASH_BYTES = 32;

export interface KeptTree {
  size: number;
  /** Base64. */
  hashes: string[];
}

/** Reads `width` hashes of a tile (C2SP tlog-tiles), beginning at position `number` × 256 of the level. */
export type ReadHashes = (level: number, number: number, width: number) => Promise<Buffer>;

/**
 * The Merkle tree (RFC 6962 §2.1) of the first `size` entries of a log, as the hashes of its complete subtrees, the
 * largest first. It can be extended with hash tiles. If the result has the root of a later checkpoint, the log of that
 * checkpoint begins with the same entries.
 */
export class LogTree {
  private constructor(
    readonly size: number,
    private readonly hashes: readonly Buffer[],
  ) {}

  static readonly EMPTY = new LogTree(0, []);

  static from({ size, hashes }: KeptTree): LogTree {
    return new LogTree(
      size,
      hashes.map((hash) => Buffer.from(hash, 'base64')),
    );
  }

  get kept(): KeptTree {
    return { size: this.size, hashes: this.hashes.map((hash) => hash.toString('base64')) };
  }

  get root(): Buffer {
    if (this.size === 0) return createHash('sha256').digest();
    return this.hashes.reduceRight((right, left) => nodeOf(left, right));
  }

  /** Returns the tree of the first `size` entries, from the tiles of a log that has at least `size` entries. */
  async grown(size: number, read: ReadHashes): Promise<LogTree> {
    const hashes = [...this.hashes];
    let at = this.size;
    while (at < size) {
      const level = largestSubtree(at, size);
      hashes.push(await subtree(at, level, size, read));
      at += 2 ** level;
      // Two subtrees of equal size become one larger subtree.
      for (let up = level; at % 2 ** (up + 1) === 0; up += 1) {
        const [left, right] = hashes.splice(-2);
        hashes.push(nodeOf(left, right));
      }
    }
    return new LogTree(at, hashes);
  }
}

/** Returns the level of the largest complete subtree that begins at entry `at` and ends no later than `end`. */
function largestSubtree(at: number, end: number): number {
  let level = 0;
  while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level += 1;
  return level;
}

async function subtree(at: number, level: number, size: number, read: ReadHashes): Promise<Buffer> {
  const tileLevel = Math.floor(level / LEVELS_OF_TILE);
  const entriesOfHash = 2 ** (tileLevel * LEVELS_OF_TILE);
  const first = at / entriesOfHash;
  const number = Math.floor(first / TILE_HASHES);
  const width = Math.min(TILE_HASHES, Math.floor(size / entriesOfHash) - number * TILE_HASHES);
  const tile = await read(tileLevel, number, width);
  let hashes = Array.from({ length: 2 ** (level % LEVELS_OF_TILE) }, (_, place) => {
    const from = ((first % TILE_HASHES) + place) * HASH_BYTES;
    return tile.subarray(from, from + HASH_BYTES);
  });
  while (hashes.length > 1) {
    const below = hashes;
    hashes = Array.from({ length: below.length / 2 }, (_, place) =>
      nodeOf(below[2 * place], below[2 * place + 1]),
    );
  }
  return hashes[0];
}

function nodeOf(left: Buffer, right: Buffer): Buffer {
  return createHash('sha256').update('\x01').update(left).update(right).digest();
}
