import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, DAY_MS } from '#libs/platform';
import { blockedHost } from '../formats/block-list.js';
import { type Lines, linesOf } from '../formats/lines.js';
import type { ReadLine } from '../formats/read-line.js';
import { type LineKind, listedName, observationReader } from '../formats/reader.js';
import { ownersOf, zoneDifference } from '../formats/zone-difference.js';
import { ZoneReader } from '../formats/zone-reader.js';
import { ListingsService } from '../listings/listings.service.js';
import { SLICES } from '../names/domain-key.js';
import { type FiledName, fileName } from '../names/registrable-name.js';
import type { Observation } from '../records/observation.js';
import { FullListsService, type ListFile } from '../observations/full-lists.service.js';
import { ObservationsService } from '../observations/observations.service.js';
import { scopeOfZone } from '../sources/source.js';
import { checkFile, unpackedChunks } from '../locations/file-check.js';
import {
  BadFile,
  type BadLine,
  type ImportFile,
  type ImportedSource,
} from '../locations/import-file.js';
import { ImportFilesService } from './import-files.service.js';
import type { ImportCounts } from './imports.repository.js';
import { type FoundFile, Locations } from '../locations/locations.js';
import { SAMPLES_OF_BATCH, batchesOf, eachWhileReading } from './line-batches.js';

/** The size of a batch of observations; below, that of a batch of names that are staged. */
const OBSERVATIONS_AT_A_TIME = 2_000;
const NAMES_AT_A_TIME = 5_000;
/** After this time a zone is imported completely again. */
const WHOLE_AFTER_MS = 7 * DAY_MS;
/** Names that may be missing from a list whatever `turnoverMax` its source has. */
const GONE_COUNTED_FROM = 100;
/** The kinds in whose lines another name may be left if the end is cut off. */
const LISTS: readonly string[] = ['names', 'zone', 'blocklist'];

/** Takes the files of a source in, each line once, whatever interrupts it. */
@Injectable()
export class ImportRunsService {
  constructor(
    private readonly files: ImportFilesService,
    private readonly observations: ObservationsService,
    private readonly lists: FullListsService,
    private readonly listings: ListingsService,
    private readonly locations: Locations,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes in what is new at a source. A file that cannot be read is noted as failed, and the others are gone on with.
   * @throws what the location, the database or `signal` throws; the next run continues after the last batch.
   */
  async run(source: ImportedSource, signal: AbortSignal): Promise<void> {
    const isKnown = (file: string, version: string) => this.files.isTaken(source.id, file, version);
    const now = this.clock.now();
    for await (const found of this.locations.filesOf(source, now, isKnown, signal)) {
      signal.throwIfAborted();
      if (!(await isKnown(found.file, found.version))) await this.take(source, found, signal);
    }
  }

  private async take(source: ImportedSource, found: FoundFile, signal: AbortSignal): Promise<void> {
    let file: ImportFile | undefined;
    try {
      const checked = await checkFile(found.path, this.locations.limits, signal);
      file = await this.files.open(source, found, checked);
      if (file.state !== 'loading') return;
      const isCut = !checked.isEnded && !source.isOpenEnded;
      if (isCut && LISTS.includes(source.kind)) throw endsWithinLine(source);
      if (source.kind === 'blocklist') await this.takeBlockList(source, file, found.path, signal);
      else if (source.kind === 'names') await this.takeNames(source, file, found.path, signal);
      else if (source.kind === 'zone') await this.takeZone(source, file, found.path, signal);
      else {
        if (file.position === 0) await this.judge(source, { ...file, isCut }, found.path, signal);
        await this.takeLines(source, file, found.path, signal);
      }
    } catch (error) {
      if (!(error instanceof BadFile)) throw error;
      const failed = file ?? (await this.files.open(source, found, { digest: '', lines: 0 }));
      await this.files.fail(failed, error.message);
    }
  }

  /** Reads all lines of a file before any is imported. @throws BadFile for one that is cut off or of another kind. */
  private async judge(
    source: ImportedSource,
    { observedAt: at, lines, isCut }: ImportFile & { isCut: boolean },
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const read = observationReader(source.kind as LineKind, { at, now: this.clock.now() });
    let badLines = 0;
    let isLastBad = false;
    for await (const { texts } of this.linesIn(path, signal)) {
      for (const text of texts) {
        isLastBad = text === undefined || read(text) === 'bad';
        if (isLastBad) badLines += 1;
      }
    }
    refuseUnreadable({ badLines }, lines, source.kind);
    if (isCut && isLastBad) throw endsWithinLine(source);
  }

  private async takeLines(
    source: ImportedSource,
    file: ImportFile,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const read = observationReader(source.kind as LineKind, {
      at: file.observedAt,
      now: this.clock.now(),
    });
    const batches = batchesOf(this.linesIn(path, signal), {
      read,
      size: OBSERVATIONS_AT_A_TIME,
      done: file.position,
    });
    let from = file.position;
    await eachWhileReading(batches, async (batch) => {
      signal.throwIfAborted();
      await this.files.advance(file, { from, ...batch }, (transaction) =>
        this.record(transaction, batch.items, source.id),
      );
      from = batch.to;
    });
    await this.files.finish(file);
  }

  private async record(
    transaction: Transaction,
    items: readonly Observation[],
    sourceId: number,
  ): Promise<ImportCounts> {
    if (items.length === 0) return {};
    return this.observations.recordIn(transaction, items, sourceId);
  }

  private async takeNames(
    source: ImportedSource,
    file: ImportFile,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    await this.stage(file, path, listedName, source.kind, signal);
    const { id: fileId, observedAt: at } = file;
    const list = { fileId, sourceId: source.id, at, isFirst: false, isDifference: false };
    await this.applyList(file, list, signal);
  }

  private async takeBlockList(
    source: ImportedSource,
    file: ImportFile,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const scope = 'block list';
    await this.refuseOlder(file, scope);
    const { id: fileId, observedAt: at, sourceId } = file;
    const list = { fileId, sourceId, category: source.category!, at };
    const read = { badLines: 0, samples: [] as BadLine[], hosts: 0 };
    const batches = batchesOf(this.linesIn(path, signal), {
      read: blockedHost,
      size: NAMES_AT_A_TIME,
      done: 0,
    });
    async function* hosts() {
      for await (const batch of batches) {
        read.badLines += batch.badLines;
        read.hosts += batch.items.length;
        if (read.samples.length < SAMPLES_OF_BATCH) read.samples.push(...batch.samples);
        yield batch.items;
      }
      refuseUnreadable(read, file.lines, source.kind);
      if (read.hosts === 0) throw new BadFile('It names nothing.');
    }
    if (file.position < file.lines || file.lines === 0) {
      await this.files.takeWhole(file, async (transaction) => {
        const { known, listed, delisted } = await this.listings.take(transaction, list, hosts());
        refuseShrunken({ gone: delisted, listed: known }, source);
        const { badLines, samples } = read;
        return { badLines, samples, newNames: listed, droppedNames: delisted };
      });
    }
    await this.files.finish(file, scope);
  }

  private async refuseOlder(file: ImportFile, scope: string): Promise<Date | undefined> {
    const newest = await this.files.newestComplete(file.sourceId, scope);
    if (newest && newest >= file.observedAt) {
      throw new BadFile(`It is not newer than what is loaded (${newest.toISOString()}).`);
    }
    return newest;
  }

  private async takeZone(
    source: ImportedSource,
    file: ImportFile,
    path: string,
    signal: AbortSignal,
  ): Promise<void> {
    const zone = await this.zoneIn(path, signal);
    const newest = await this.refuseOlder(file, scopeOfZone(zone));
    const { id: fileId, observedAt: at } = file;
    const list = { fileId, sourceId: source.id, at, zone, isFirst: !newest };
    const isDifference =
      file.isDifference ||
      (file.position === 0 && (await this.stageDifference(source, file, { path, zone }, signal)));
    if (!isDifference) {
      const reader = new ZoneReader();
      await this.stage(file, path, (line) => reader.read(line), source.kind, signal);
      await this.files.ask((transaction) =>
        this.files.setZone(transaction, file, { zone, isDifference }),
      );
      if (file.slices === 0) await this.refuseShrunkenZone({ ...list, isDifference }, source);
    }
    await this.applyList(file, { ...list, isDifference }, signal);
  }

  /** @throws BadFile where there is no SOA record. */
  private async zoneIn(path: string, signal: AbortSignal): Promise<string> {
    const reader = new ZoneReader();
    for await (const { texts } of this.linesIn(path, signal)) {
      for (const text of texts) {
        if (text !== undefined) reader.read(text);
        if (reader.origin !== undefined) return reader.origin;
      }
    }
    throw new BadFile('It has no SOA record, so it is no zone file.');
  }

  /**
   * Puts what a zone has and lacks beside the file before on its way in, where that one can still be read.
   * @returns false where the zone has to be taken in as a whole.
   */
  private async stageDifference(
    source: ImportedSource,
    file: ImportFile,
    { path, zone }: { path: string; zone: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { observedAt: at, lines } = file;
    const previous = await this.files.findZone(source.id, zone);
    // From time to time the complete list corrects what the corpus imported from elsewhere meanwhile.
    if (!previous || at.getTime() - previous.wholeAt.getTime() > WHOLE_AFTER_MS) return false;
    const older = await this.locations.pathOf(source, previous);
    if (older === undefined) return false;
    const difference = await zoneDifference(
      this.linesIn(older, signal),
      this.linesIn(path, signal),
    );
    if (!difference) return false;
    const { fresh, gone } = difference;
    const since = { zone, since: previous.observedAt };
    const dropped = new Set(
      await this.files.ask((transaction) =>
        this.lists.listDropped(transaction, { sourceId: source.id, at }, since),
      ),
    );
    const again = new Set<string>();
    const owners = await ownersOf(this.linesIn(path, signal), zone, (owner) => {
      gone.delete(owner);
      if (dropped.has(owner)) again.add(owner);
    });
    refuseShrunken({ gone: gone.size, listed: owners - fresh.size + gone.size }, source);
    const listed = [...fresh.values(), ...[...again].flatMap((name) => fileName(name) ?? [])];
    const advance = { from: 0, to: lines, badLines: 0, samples: [] };
    await this.files.advance(file, advance, async (transaction) => {
      await this.lists.stage(transaction, file.id, listed);
      await this.lists.stage(transaction, file.id, gone.values(), true);
      await this.lists.countShared(
        transaction,
        { sourceId: source.id, at },
        owners - listed.length,
      );
      await this.files.setZone(transaction, file, { zone, isDifference: true });
      return {};
    });
    return true;
  }

  private async refuseShrunkenZone(list: ListFile, source: ImportedSource): Promise<void> {
    const counts = await this.files.ask((transaction) => this.lists.countGone(transaction, list));
    refuseShrunken(counts, source);
  }

  /** Puts the names of a file on their way in, from the line that was reached. */
  private async stage(
    file: ImportFile,
    path: string,
    read: (line: string) => ReadLine<FiledName>,
    kind: string,
    signal: AbortSignal,
  ): Promise<void> {
    // The zone is known from a line that may have been taken already, so that all of them are read.
    const batches = batchesOf(this.linesIn(path, signal), {
      read,
      size: NAMES_AT_A_TIME,
      done: file.position,
    });
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
    refuseUnreadable({ badLines }, file.lines, kind);
  }

  private async applyList(file: ImportFile, list: ListFile, signal: AbortSignal): Promise<void> {
    for (let slice = file.slices; slice < SLICES; slice += 1) {
      signal.throwIfAborted();
      await this.files.advanceSlice(file, slice, (transaction) =>
        this.lists.apply(transaction, list, slice),
      );
    }
    await this.files.finish(file, list.zone === undefined ? undefined : scopeOfZone(list.zone));
  }

  private linesIn(path: string, signal: AbortSignal): AsyncGenerator<Lines, void, void> {
    return linesOf(unpackedChunks(path, this.locations.limits, signal));
  }
}

function endsWithinLine({ name }: ImportedSource): BadFile {
  return new BadFile(
    `It ends within a line. Fetch it again, or allow it: cli source set ${name} --open-ended yes`,
  );
}

/** @throws BadFile for what must be of another kind, before anything of it is kept. */
function refuseUnreadable({ badLines }: { badLines: number }, lines: number, kind: string): void {
  if (badLines * 2 <= lines) return;
  throw new BadFile(`${badLines} of ${lines} lines cannot be read as "${kind}".`);
}

/** @throws BadFile for what seems truncated. */
function refuseShrunken(
  { gone, listed }: { gone: number; listed: number },
  { name, turnoverMax }: ImportedSource,
): void {
  if (gone < GONE_COUNTED_FROM || gone <= listed * turnoverMax) return;
  const percent = Math.ceil((100 * gone) / listed);
  throw new BadFile(
    `It lacks ${gone} of ${listed} names that are listed: it seems truncated. If it is right, allow it: cli source set ${name} --turnover ${percent}`,
  );
}
