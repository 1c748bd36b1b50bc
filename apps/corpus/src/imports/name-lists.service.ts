import { Injectable } from '@nestjs/common';
import { batchesOf, eachWhileReading } from '../locations/line-batches.js';
import type { ReadLine } from '../formats/read-line.js';
import { listedName } from '../formats/reader.js';
import { SLICES } from '../names/domain-key.js';
import type { FiledName } from '../names/registrable-name.js';
import { FullListsService, type ListFile } from '../observations/full-lists.service.js';
import { scopeOfZone } from '../sources/source.js';
import { ImportFilesService } from './import-files.service.js';
import { type ImportRun, linesIn, refuseUnreadable } from '../locations/import-run.js';

const NAMES_AT_A_TIME = 5_000;

/** Imports lists of names. All names of a file are staged, and then applied part by part in the order of their keys. */
@Injectable()
export class NameListsService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly lists: FullListsService,
  ) {}

  /** Imports a file with one name per line. @throws BadFile, Overtaken; the reason of the signal. */
  async take(run: ImportRun): Promise<void> {
    await this.stage(run, listedName);
    const { id: fileId, observedAt: at, sourceId } = run.file;
    await this.apply(run, { fileId, sourceId, at, isFirst: false, isDifference: false });
  }

  /**
   * Stages the names of a file, continuing at the line that was reached.
   * @throws BadFile, Overtaken; the reason of the signal.
   */
  async stage(run: ImportRun, read: (line: string) => ReadLine<FiledName>): Promise<void> {
    const { file, signal } = run;
    // Lines that were already imported are also read, because one of them may state the zone of the others.
    const batches = batchesOf(linesIn(run), { read, size: NAMES_AT_A_TIME, done: file.position });
    let from = file.position;
    let badLines = 0;
    await eachWhileReading(batches, async (batch) => {
      signal.throwIfAborted();
      badLines += batch.badLines;
      await this.files.advance(file, { from, ...batch }, async (transaction) => {
        const names = new Map(batch.items.map((name) => [name.name, name]));
        await this.lists.stage(transaction, file.id, names.values());
        return {};
      });
      from = batch.to;
    });
    refuseUnreadable(run, badLines);
  }

  /**
   * Applies the staged names, continuing at the part that was reached, and marks the file as finished.
   * @throws Overtaken; the reason of the signal.
   */
  async apply({ file, signal }: ImportRun, list: ListFile): Promise<void> {
    for (let slice = file.slices; slice < SLICES; slice += 1) {
      signal.throwIfAborted();
      await this.files.advanceSlice(file, slice, (transaction) =>
        this.lists.apply(transaction, list, slice),
      );
    }
    await this.files.finish(file, list.zone === undefined ? undefined : scopeOfZone(list.zone));
  }
}
