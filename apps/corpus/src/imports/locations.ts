import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { CorpusConfig } from '../corpus.config.js';
import { BadFile, type ImportedSource } from './import-file.js';
import type { HttpsDownloads } from './https-downloads.js';

/** A file of a source, before it is read. */
export interface FoundFile {
  file: string;
  version: string;
  observedAt: Date;
  /** Where it can be read, in whole. */
  path: string;
}

/** Whether a file is known in a version, so that it need not be fetched. */
export type IsKnown = (file: string, version: string) => Promise<boolean>;

/** The files of a source that may have to be read, oldest first; those that are fetched last until the next is asked for. */
export class Locations {
  private readonly folder: string;

  constructor(
    { importFolder }: Pick<CorpusConfig, 'importFolder'>,
    private readonly downloads: HttpsDownloads,
  ) {
    this.folder = join(importFolder ?? tmpdir(), 'corpus-imports');
  }

  /** @throws BadFile for a location where nothing can be read, ConnectionError. */
  async *filesOf(
    { location }: Pick<ImportedSource, 'location'>,
    now: Date,
    isKnown: IsKnown,
    signal: AbortSignal,
  ): AsyncGenerator<FoundFile, void, void> {
    if (!location.startsWith('https:')) {
      yield* await filesOfFolder(location, now);
      return;
    }
    // Of the one import that runs in the installation; a killed one may have left something.
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
    const path = join(this.folder, 'download');
    try {
      const file = basename(new URL(location).pathname) || 'index';
      const fetched = await this.downloads.fetch(new URL(location), path, {
        signal,
        isKnown: (version) => isKnown(file, version),
      });
      if (!fetched) return;
      const { version, modifiedAt } = fetched;
      yield { file, version, path, observedAt: dateOf(file, modifiedAt ?? now, now) };
    } finally {
      await rm(this.folder, { recursive: true, force: true });
    }
  }
}

async function filesOfFolder(folder: string, now: Date): Promise<FoundFile[]> {
  const names = await readdir(folder).catch(() => {
    throw new BadFile(`There is no folder ${folder} that the corpus can read.`);
  });
  const files: FoundFile[] = [];
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    const stats = await lstat(path);
    // Links may lead anywhere; what begins with a dot is still being written.
    if (!stats.isFile() || file.startsWith('.')) continue;
    const version = `${stats.mtime.toISOString()} ${stats.size}`;
    files.push({ file, version, path, observedAt: dateOf(file, stats.mtime, now) });
  }
  return files.toSorted((a, b) => a.observedAt.getTime() - b.observedAt.getTime());
}

/** The day in a file's name, or else when it was changed; never later than now. */
function dateOf(file: string, changedAt: Date, now: Date): Date {
  const [, year, month, day] = /(?<!\d)((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?!\d)/.exec(file) ?? [];
  const named = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const date = Number.isNaN(named.getTime()) ? changedAt : named;
  return date < now ? date : now;
}
