import { Injectable } from '@nestjs/common';
import { checkFile } from '../locations/file-check.js';
import { BadFile, type ImportFile, type ImportedSource } from '../locations/import-file.js';
import { type FileVersion, type FoundFile, Locations } from '../locations/locations.js';
import { BlockListsService } from './block-lists.service.js';
import { ImportFilesService } from './import-files.service.js';
import { type ImportRun, endsWithinLine } from '../locations/import-run.js';
import { NameListsService } from './name-lists.service.js';
import { ObservationFilesService } from './observation-files.service.js';
import { ZonesService } from './zones.service.js';

/** The kinds of files whose truncated last line may be another valid name. */
const LISTS: readonly string[] = ['names', 'zone', 'blocklist'];

@Injectable()
export class ImportRunsService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly nameLists: NameListsService,
    private readonly zones: ZonesService,
    private readonly blockLists: BlockListsService,
    private readonly observationFiles: ObservationFilesService,
    private readonly locations: Locations,
  ) {}

  /**
   * Imports new data of a source. A file that cannot be read is marked as failed, and the run continues with the
   * others.
   * @throws Overtaken; the errors of `Locations.filesOf`, the database or `signal`. The next run continues after the
   *   last batch.
   */
  async run(source: ImportedSource, now: Date, signal: AbortSignal): Promise<void> {
    const isKnown = (found: FileVersion) => this.files.isTaken(source, found);
    for await (const found of this.locations.filesOf(source, now, isKnown, signal)) {
      signal.throwIfAborted();
      if (!(await isKnown(found))) await this.take(source, found, signal);
    }
    await this.files.failRemoved(source.id);
  }

  private async take(source: ImportedSource, found: FoundFile, signal: AbortSignal): Promise<void> {
    const { limits } = this.locations;
    let file: ImportFile | undefined;
    try {
      const checked = await checkFile(found.path, limits, signal);
      file = await this.files.open(source, found, checked);
      if (file.state !== 'loading') return;
      const isCut = !checked.isEnded && !source.isOpenEnded;
      if (isCut && LISTS.includes(source.kind)) throw endsWithinLine(source);
      await this.takeByKind({ source, file, path: found.path, limits, signal }, isCut);
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      const failed = file ?? (await this.files.open(source, found, { digest: '', lines: 0 }));
      await this.files.fail(failed, error.message);
    }
  }

  private async takeByKind(run: ImportRun, isCut: boolean): Promise<void> {
    const { kind } = run.source;
    if (kind === 'blocklist') await this.blockLists.take(run);
    else if (kind === 'names') await this.nameLists.take(run);
    else if (kind === 'zone') await this.zones.take(run);
    else await this.observationFiles.take(run, isCut);
  }
}
