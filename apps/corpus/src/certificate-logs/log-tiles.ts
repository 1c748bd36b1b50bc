import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { counted } from '#libs/platform';
import { type NameTile, readNameTile } from '../formats/name-tile.js';
import type { HttpsDownloads } from '../locations/https-downloads.js';
import { BadFile, MissingFile } from '../locations/import-file.js';
import { type Checkpoint, isSignedWith, readCheckpoint, readLogKey } from './checkpoint.js';
import { HASH_BYTES, LogTree, TILE_HASHES } from './log-tree.js';

export const TILE_ENTRIES = TILE_HASHES;
const CHECKPOINT_BYTES_MAX = 64 * 1024;
/**
 * Maximum size of a tile. 256 certificates with about a hundred names each fit, and eight such
 * tiles are small compared with a pod's memory.
 */
const TILE_BYTES_MAX = 2 * 1024 * 1024;
const TILE_UNPACKED_MAX = 4 * 1024 * 1024;
const unpack = promisify(gunzip);
const entries = (count: number) => counted(count, 'entry', 'entries');

/** Fetches the resources of a log over HTTPS (C2SP tlog-tiles, static-ct-api, and names tiles). */
export class LogTiles {
  constructor(
    private readonly base: URL,
    private readonly downloads: HttpsDownloads,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Fetches the log's current checkpoint.
   * @param key the key that must have signed the checkpoint; null for no check.
   * @throws BadFile for a missing, invalid or unsigned checkpoint; the errors of `HttpsDownloads.read`.
   */
  async checkpoint(key: string | null): Promise<Checkpoint> {
    const url = new URL('checkpoint', this.base);
    const text = await this.downloads.read(url, CHECKPOINT_BYTES_MAX, this.signal);
    const checkpoint = readCheckpoint(text.toString('utf8'));
    if (!checkpoint) throw new BadFile(`${url.host} has no checkpoint of a log.`);
    if (key !== null && !isSignedWith(readLogKey(key)!, checkpoint)) {
      throw new BadFile("The log's checkpoint is not signed with its key.");
    }
    return checkpoint;
  }

  /**
   * Returns the tree of a checkpoint, after checking that it begins with the entries of an earlier tree. @throws
   * BadFile for a log that lost or changed entries, or whose tiles are damaged, missing or do not yield its root; the
   * errors of `HttpsDownloads.read`.
   */
  async treeOf({ size, root }: Checkpoint, before: LogTree): Promise<LogTree> {
    if (size < before.size) {
      throw new BadFile(`The log has ${entries(size)}, but had ${entries(before.size)} before.`);
    }
    const read = new Map<string, Promise<Buffer>>();
    const tree = await before.grown(size, async (level, number, width) => {
      const tile = `${level}/${tilePath(number)}`;
      if (!read.has(tile)) read.set(tile, this.hashes(tile, width));
      return read.get(tile)!;
    });
    if (tree.root.equals(root)) return tree;
    throw new BadFile(
      before.size === 0
        ? `The hash tiles of the log do not yield the root of its checkpoint of ${entries(size)}.`
        : `The checkpoint of ${entries(size)} does not continue the checkpoint of ${before.size}: the log has forked, or it is a different log.`,
    );
  }

  /**
   * Reads the names of the entries `from` to `to` of a tile.
   * @returns undefined for a part of a tile that does not exist (yet).
   * @throws BadFile for a tile that is damaged, too short or mostly unreadable, and for a missing complete tile; the
   *   errors of `HttpsDownloads.read`.
   */
  async names(number: number, { from, to }: { from: number; to: number }) {
    const path = `tile/names/${tilePath(number)}`;
    const bytes = await this.read(path, to);
    if (!bytes) return undefined;
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    let tile: NameTile | undefined;
    try {
      const text = isPacked ? await unpack(bytes, { maxOutputLength: TILE_UNPACKED_MAX }) : bytes;
      tile = readNameTile(text.toString('utf8'), { from, to });
    } catch (cause) {
      throw new BadFile(`Tile ${number} is damaged, or a decompression bomb.`, { cause });
    }
    if (!tile) throw new BadFile(`Tile ${number} has fewer than ${entries(to)}.`);
    if (tile.bad * 2 > to - from) throw new BadFile(`Tile ${number} cannot be read.`);
    return tile;
  }

  private async hashes(tile: string, width: number): Promise<Buffer> {
    const bytes = await this.read(`tile/${tile}`, width);
    if (bytes && bytes.length >= width * HASH_BYTES && bytes.length % HASH_BYTES === 0) {
      return bytes;
    }
    throw new BadFile(`Hash tile ${tile} is damaged or missing.`);
  }

  /**
   * Fetches the first `width` entries of a tile. If the complete tile has replaced this part, fetches the complete
   * tile.
   * @returns undefined if neither exists.
   * @throws MissingFile for a missing complete tile (`width` is `TILE_ENTRIES`).
   */
  private async read(path: string, width: number): Promise<Buffer | undefined> {
    const get = async (one: string) =>
      this.downloads.read(new URL(one, this.base), TILE_BYTES_MAX, this.signal);
    if (width === TILE_ENTRIES) return get(path);
    const part = await unlessMissing(get(`${path}.p/${width}`));
    return part ?? unlessMissing(get(path));
  }
}

async function unlessMissing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof MissingFile) return undefined;
    throw error;
  }
}

/** Returns the path of a tile: `x001/x234/067` for 1234067. */
function tilePath(number: number): string {
  const digits = String(number);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g)!;
  return groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
}
