import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/platform';
import { readNameTile } from '../formats/name-tile.js';
import { ObservationsService } from '../observations/observations.service.js';
import { BadFile, type ImportFile, type ImportedSource } from './import-file.js';
import { HttpsDownloads } from './https-downloads.js';
import { ImportFilesService } from './import-files.service.js';

/** Certificates of a tile. */
export const TILE_ENTRIES = 256;
/** Tiles that are fetched side by side, and taken in by one transaction. */
const TILES_AT_A_TIME = 8;
/** Tiles of one run: then other sources have their turn. */
const TILES_AT_A_RUN = 800;
const CHECKPOINT_BYTES_MAX = 64 * 1024;
/**
 * The largest tile: 256 certificates, at some hundred names each. Eight tiles together stay small
 * beside a pod's memory.
 */
const TILE_BYTES_MAX = 2 * 1024 * 1024;
const TILE_UNPACKED_MAX = 4 * 1024 * 1024;
const unpack = promisify(gunzip);

/**
 * Follows logs of certificate transparency that have names tiles (an extension of the Static CT API): only whole
 * tiles, which never change. What a log says is taken as it comes; its proofs are not checked.
 */
@Injectable()
export class CertificateLogsService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly observations: ObservationsService,
    private readonly downloads: HttpsDownloads,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes in what a log has had since the last run, from the entry that stands behind `#` in its address.
   * @returns whether there is more than fits a run.
   * @throws BadFile, ConnectionError, Overtaken; the next run goes on behind the last batch.
   */
  async follow(source: ImportedSource, signal: AbortSignal): Promise<boolean> {
    const { base, first } = placeOf(source.location);
    const size = await this.sizeOf(base, signal);
    const whole = size - (size % TILE_ENTRIES);
    const log = await this.files.openLog(source.id, base.href, { first, size: whole });
    if (log.position > whole && log.position > first) {
      throw new BadFile(`The log has ${size} entries, and ${log.position} were taken in.`);
    }
    let at = log.position;
    const end = Math.min(whole, at + TILES_AT_A_RUN * TILE_ENTRIES);
    while (at < end) {
      const to = Math.min(end, at + TILES_AT_A_TIME * TILE_ENTRIES);
      await this.take(source.id, log, { base, from: at, to, signal });
      at = to;
    }
    if (at >= whole) await this.files.reachedEnd(log, this.clock.now());
    return at < whole;
  }

  private async take(
    sourceId: number,
    log: ImportFile,
    { base, from, to, signal }: { base: URL; from: number; to: number; signal: AbortSignal },
  ): Promise<void> {
    signal.throwIfAborted();
    const numbers = Array.from(
      { length: (to - from) / TILE_ENTRIES },
      (_, place) => from / TILE_ENTRIES + place,
    );
    const tiles = await Promise.all(numbers.map(async (number) => this.tile(base, number, signal)));
    const badLines = tiles.reduce((sum, { bad }) => sum + bad, 0);
    const observations = tiles.flatMap((tile) => tile.observations);
    await this.files.advance(log, { from, to, badLines, samples: [] }, async (transaction) =>
      observations.length === 0
        ? {}
        : this.observations.recordIn(transaction, observations, sourceId),
    );
  }

  /** How many entries the log says that it has, in its checkpoint: the line behind its name. */
  private async sizeOf(base: URL, signal: AbortSignal): Promise<number> {
    const url = new URL('checkpoint', base);
    const text = (await this.downloads.read(url, CHECKPOINT_BYTES_MAX, signal)).toString('utf8');
    const size = /^[^\n]+\n(0|[1-9][0-9]{0,14})\n/.exec(text)?.[1];
    if (size === undefined) throw new BadFile(`${url.host} has no checkpoint of a log.`);
    return Number(size);
  }

  private async tile(base: URL, number: number, signal: AbortSignal) {
    const url = new URL(`tile/names/${tilePath(number)}`, base);
    const bytes = await this.downloads.read(url, TILE_BYTES_MAX, signal);
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    try {
      const text = isPacked ? await unpack(bytes, { maxOutputLength: TILE_UNPACKED_MAX }) : bytes;
      return readNameTile(text.toString('utf8'));
    } catch (cause) {
      throw new BadFile(`Tile ${number} is damaged, or packed to do harm.`, { cause });
    }
  }
}

/** `x001/x234/067` for 1234067. */
function tilePath(number: number): string {
  const digits = String(number);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g)!;
  return groups.map((group, place) => (place < groups.length - 1 ? `x${group}` : group)).join('/');
}

function placeOf(location: string): { base: URL; first: number } {
  const base = new URL(location);
  const first = Number(base.hash.slice(1) || 0);
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return { base, first: first - (first % TILE_ENTRIES) };
}
