import { Injectable } from '@nestjs/common';
import { blockedHost } from '../formats/block-list.js';
import { SAMPLES_OF_BATCH, batchesOf } from '../locations/line-batches.js';
import { ListingsService } from '../listings/listings.service.js';
import { BadFile, type BadLine } from '../locations/import-file.js';
import { ImportFilesService } from './import-files.service.js';
import {
  type ImportRun,
  linesIn,
  refuseShrunken,
  refuseUnreadable,
} from '../locations/import-run.js';

const SCOPE = 'block list';
const HOSTS_AT_A_TIME = 5_000;

interface ReadHosts {
  hosts: number;
  badLines: number;
  samples: BadLine[];
}

/** Imports block lists, each as a whole. Names that a list no longer contains are delisted. */
@Injectable()
export class BlockListsService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly listings: ListingsService,
  ) {}

  /**
   * Imports a list. @throws BadFile for a list that is not newer than the loaded one, empty, unreadable or truncated;
   * Overtaken; the reason of the signal.
   */
  async take(run: ImportRun): Promise<void> {
    const { source, file } = run;
    await this.files.refuseOlder(file, SCOPE);
    const isTaken = file.lines > 0 && file.position === file.lines;
    if (!isTaken) {
      const { id: fileId, observedAt: at, sourceId } = file;
      const list = { fileId, sourceId, category: source.category!, at };
      await this.files.takeWhole(file, async (transaction) => {
        const read: ReadHosts = { hosts: 0, badLines: 0, samples: [] };
        const hosts = hostsOf(run, read);
        const { known, listed, delisted } = await this.listings.take(transaction, list, hosts);
        refuseShrunken(source, { gone: delisted, listed: known });
        const { badLines, samples } = read;
        return { badLines, samples, newNames: listed, droppedNames: delisted };
      });
    }
    await this.files.finish(file, SCOPE);
  }
}

/** Yields the hosts of a list in batches. @param read updated with each batch. @throws BadFile after the last batch. */
async function* hostsOf(run: ImportRun, read: ReadHosts) {
  const asked = { read: blockedHost, size: HOSTS_AT_A_TIME, done: 0 };
  for await (const batch of batchesOf(linesIn(run), asked)) {
    read.hosts += batch.items.length;
    read.badLines += batch.badLines;
    if (read.samples.length < SAMPLES_OF_BATCH) read.samples.push(...batch.samples);
    yield batch.items;
  }
  refuseUnreadable(run, read.badLines);
  if (read.hosts === 0) throw new BadFile('It names nothing.');
}
