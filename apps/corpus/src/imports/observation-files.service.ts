import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/platform';
import { batchesOf, eachWhileReading } from '../locations/line-batches.js';
import { type LineKind, observationReader } from '../formats/reader.js';
import { ObservationsService } from '../observations/observations.service.js';
import { ImportFilesService } from './import-files.service.js';
import {
  type ImportRun,
  endsWithinLine,
  linesIn,
  refuseUnreadable,
} from '../locations/import-run.js';

const OBSERVATIONS_AT_A_TIME = 2_000;

@Injectable()
export class ObservationFilesService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly observations: ObservationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Imports a file. @param isCut whether the last line may have been cut off, so that it must be valid. @throws BadFile
   * before anything is recorded; Overtaken; the reason of the signal.
   */
  async take(run: ImportRun, isCut: boolean): Promise<void> {
    const { file, signal } = run;
    if (file.position === 0) await this.judge(run, isCut);
    const read = this.readerOf(run);
    const asked = { read, size: OBSERVATIONS_AT_A_TIME, done: file.position };
    let from = file.position;
    await eachWhileReading(batchesOf(linesIn(run), asked), async (batch) => {
      signal.throwIfAborted();
      await this.files.advance(file, { from, ...batch }, async (transaction) =>
        batch.items.length === 0
          ? {}
          : this.observations.recordIn(transaction, batch.items.flat(), file.sourceId),
      );
      from = batch.to;
    });
    await this.files.finish(file);
  }

  /**
   * Reads all lines of a file before any line is imported.
   * @param isCut whether the last line may have been cut off, so that it must be valid.
   * @throws BadFile for a file that is cut off or of another kind.
   */
  private async judge(run: ImportRun, isCut: boolean): Promise<void> {
    const read = this.readerOf(run);
    let badLines = 0;
    let isLastBad = false;
    for await (const { texts } of linesIn(run)) {
      for (const text of texts) {
        isLastBad = text === undefined || read(text) === 'bad';
        if (isLastBad) badLines += 1;
      }
    }
    refuseUnreadable(run, badLines);
    if (isCut && isLastBad) throw endsWithinLine(run.source);
  }

  private readerOf({ source, file }: ImportRun) {
    const times = { at: file.observedAt, now: this.clock.now() };
    return observationReader(source.kind as LineKind, times);
  }
}
