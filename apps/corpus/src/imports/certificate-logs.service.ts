import { Injectable } from '@nestjs/common';
import { Clock, counted } from '#libs/platform';
import { BadFile, type ImportFile, type ImportedSource } from '../locations/import-file.js';
import { latestSeen } from '../formats/reader.js';
import { HttpsDownloads } from '../locations/https-downloads.js';
import { ImportFilesService } from './import-files.service.js';
import { ObservationsService } from '../observations/observations.service.js';
import { LogTiles, TILE_ENTRIES } from '../certificate-logs/log-tiles.js';
import { LogTree } from '../certificate-logs/log-tree.js';

const TILES_AT_A_TIME = 8;
/** The maximum number of tiles per run, so that other sources get their turn. */
const TILES_AT_A_RUN = 800;

/**
 * Follows certificate transparency logs that have names tiles (an extension of the Static CT API). Each checkpoint must
 * have the root of the log's hash tiles and continue the previous checkpoint. A names tile must have a line for each
 * entry. Names tiles are not part of the tree, so no proof covers their lines.
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
   * Imports the entries that a log has gained since the last run. The first run starts with the tile of the entry whose
   * number follows `#` in the log's address.
   * @returns true if there are more entries than fit into a run.
   * @throws BadFile, Overtaken; the errors of `HttpsDownloads.read`. The next run continues after the last batch.
   */
  async follow(source: ImportedSource, signal: AbortSignal): Promise<boolean> {
    const { base, first } = placeOf(source.location);
    const tiles = new LogTiles(base, this.downloads, signal);
    const checkpoint = await tiles.checkpoint(source.logKey);
    const kept = await this.files.logHead(source.id, base.href);
    const before = kept ? LogTree.from(kept) : LogTree.EMPTY;
    const head = (await tiles.treeOf(checkpoint, before)).kept;
    const log = await this.files.openLog(source.id, base.href, { first, head });
    const { size } = checkpoint;
    if (log.position > size && log.position > first) {
      const [has, had] = [size, log.position].map((count) => counted(count, 'entry', 'entries'));
      throw new BadFile(`The log has ${has}, but had ${had} at its last import.`);
    }
    let at = log.position;
    const end = Math.min(size, wholeTiles(at) + TILES_AT_A_RUN * TILE_ENTRIES);
    while (at < end) {
      signal.throwIfAborted();
      const to = Math.min(end, wholeTiles(at) + TILES_AT_A_TIME * TILE_ENTRIES);
      const reached = await this.take(source.id, log, tiles, { from: at, to });
      at = reached;
      if (reached < to) break;
    }
    // The entries of an incomplete tile that could not be fetched are read once the tile is complete.
    const isMore = at < wholeTiles(size);
    if (!isMore) await this.files.reachedEnd(log, this.clock.now());
    return isMore;
  }

  /**
   * @returns the entry that was reached: the end of the complete tiles if the last, incomplete tile could not be
   *   fetched.
   */
  private async take(
    sourceId: number,
    log: ImportFile,
    tiles: LogTiles,
    { from, to }: { from: number; to: number },
  ): Promise<number> {
    const begin = wholeTiles(from);
    const numbers = Array.from(
      { length: Math.ceil((to - begin) / TILE_ENTRIES) },
      (_, place) => begin / TILE_ENTRIES + place,
    );
    const read = await Promise.all(
      numbers.map(async (number) => {
        const entry = number * TILE_ENTRIES;
        const part = { from: Math.max(0, from - entry), to: Math.min(TILE_ENTRIES, to - entry) };
        return tiles.names(number, part);
      }),
    );
    const there = read.filter((tile) => tile !== undefined);
    const reached = there.length === read.length ? to : Math.max(from, wholeTiles(to));
    if (reached === from) return from;
    const badLines = there.reduce((sum, { bad }) => sum + bad, 0);
    const latest = latestSeen(this.clock.now());
    const observations = there
      .flatMap((tile) => tile.observations)
      .filter(({ at }) => at.getTime() <= latest);
    const advance = { from, to: reached, badLines, samples: [] };
    await this.files.advance(log, advance, async (transaction) =>
      observations.length === 0
        ? {}
        : this.observations.recordIn(transaction, observations, sourceId),
    );
    return reached;
  }
}

const wholeTiles = (entries: number) => entries - (entries % TILE_ENTRIES);

function placeOf(location: string): { base: URL; first: number } {
  const base = new URL(location);
  const first = wholeTiles(Number(base.hash.slice(1) || 0));
  base.hash = '';
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  return { base, first };
}
