import { Injectable } from '@nestjs/common';
import { DAY_MS } from '#libs/platform';
import { ownersOf, zoneDifference } from '../formats/zone-difference.js';
import { ZoneReader } from '../formats/zone-reader.js';
import { BadFile } from '../locations/import-file.js';
import { Locations } from '../locations/locations.js';
import { type FiledName, fileName } from '../names/registrable-name.js';
import { FullListsService, type ListFile } from '../observations/full-lists.service.js';
import { scopeOfZone } from '../sources/source.js';
import { ImportFilesService } from './import-files.service.js';
import { type ImportRun, linesIn, refuseShrunken } from '../locations/import-run.js';
import { NameListsService } from './name-lists.service.js';

/** How long after a complete import a zone is imported completely again. */
const WHOLE_AFTER_MS = 7 * DAY_MS;

interface Difference {
  /** The number of names in the new file. */
  owners: number;
  /** The names to list: new names, and names that another source has dropped in the meantime. */
  listed: FiledName[];
  gone: Iterable<FiledName>;
}

@Injectable()
export class ZonesService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly lists: FullListsService,
    private readonly nameLists: NameListsService,
    private readonly locations: Locations,
  ) {}

  /**
   * Imports a zone file. @throws BadFile for a file that is not a zone file, not newer than the loaded one, or
   * truncated; Overtaken; the reason of the signal.
   */
  async take(run: ImportRun): Promise<void> {
    const { file } = run;
    const zone = await zoneIn(run);
    const newest = await this.files.refuseOlder(file, scopeOfZone(zone));
    const { id: fileId, observedAt: at, sourceId } = file;
    const list = { fileId, sourceId, at, zone, isFirst: !newest, since: newest };
    // An import that a killed process has begun continues in the same way, completely or by difference.
    const isDifference =
      file.isDifference || (file.position === 0 && (await this.stageDifference(run, zone)));
    if (!isDifference) await this.stageWhole(run, { ...list, isDifference });
    await this.nameLists.apply(run, { ...list, isDifference });
  }

  private async stageWhole(run: ImportRun, list: ListFile & { zone: string }): Promise<void> {
    const { source, file } = run;
    const { zone, isDifference } = list;
    const reader = new ZoneReader();
    await this.nameLists.stage(run, (line) => reader.read(line));
    await this.files.ask((transaction) =>
      this.files.setZone(transaction, file, { zone, isDifference }),
    );
    if (file.slices > 0) return;
    const counts = await this.files.ask((transaction) => this.lists.countGone(transaction, list));
    refuseShrunken(source, counts);
  }

  /**
   * Stages the names that were added to a zone or removed from it since the previous file, if the previous file can
   * still be read.
   * @returns false if the zone must be imported completely.
   */
  private async stageDifference(run: ImportRun, zone: string): Promise<boolean> {
    const { sourceId, lines, observedAt: at, id } = run.file;
    const difference = await this.difference(run, zone);
    if (!difference) return false;
    const { owners, listed, gone } = difference;
    const advance = { from: 0, to: lines, badLines: 0, samples: [] };
    await this.files.advance(run.file, advance, async (transaction) => {
      await this.lists.stage(transaction, id, listed);
      await this.lists.stage(transaction, id, gone, true);
      await this.lists.countShared(transaction, { sourceId, at }, owners - listed.length);
      await this.files.setZone(transaction, run.file, { zone, isDifference: true });
      return {};
    });
    return true;
  }

  /**
   * Compares a zone file with the previous file. @returns undefined if the zone must be imported completely.
   * @throws BadFile for a truncated zone.
   */
  private async difference(run: ImportRun, zone: string): Promise<Difference | undefined> {
    const { source, file } = run;
    const { sourceId, observedAt: at } = file;
    const previous = await this.files.findZone(sourceId, zone);
    // From time to time, a complete import corrects data that other sources have delivered.
    if (!previous?.wholeAt) return undefined;
    if (at.getTime() - previous.wholeAt.getTime() > WHOLE_AFTER_MS) return undefined;
    const older = await this.locations.pathOf(source, previous);
    if (older === undefined) return undefined;
    const difference = await zoneDifference(linesIn(run, older), linesIn(run));
    if (!difference) return undefined;
    const { fresh, gone } = difference;
    const since = { zone, since: previous.observedAt };
    const dropped = new Set(
      await this.files.ask((transaction) =>
        this.lists.listDropped(transaction, { sourceId, at }, since),
      ),
    );
    const again = new Set<string>();
    const owners = await ownersOf(linesIn(run), zone, (owner) => {
      gone.delete(owner);
      if (dropped.has(owner)) again.add(owner);
    });
    refuseShrunken(source, { gone: gone.size, listed: owners - fresh.size + gone.size });
    const listed = [...fresh.values(), ...[...again].flatMap((name) => fileName(name) ?? [])];
    return { owners, listed, gone: gone.values() };
  }
}

/** Reads the zone's name from the SOA record of a file. @throws BadFile if there is no SOA record. */
async function zoneIn(run: ImportRun): Promise<string> {
  const reader = new ZoneReader();
  for await (const { texts } of linesIn(run)) {
    for (const text of texts) {
      if (text !== undefined) reader.read(text);
      if (reader.origin !== undefined) return reader.origin;
    }
  }
  throw new BadFile('It has no SOA record, so it is not a zone file.');
}
