import { createWriteStream } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileFacts, FileStore } from '#libs/files';
import type { CorpusConfig } from '../corpus.config.js';
import type { FileLimits } from './file-check.js';
import { BadFile, type ImportedSource } from './import-file.js';
import type { Fetched, HttpsDownloads } from './https-downloads.js';

const GIB = 2 ** 30;
const PAGE_FILES = 1_000;
const FILES_MAX = 10_000;

export interface FileVersion {
  file: string;
  version: string;
  observedAt: Date;
}

export interface FoundFile extends FileVersion {
  path: string;
}

/** Returns whether a version of a file is known, so that it need not be fetched. */
export type IsKnown = (found: FileVersion) => Promise<boolean>;

/**
 * Finds the files of a source that may have to be imported, oldest first. A fetched file is kept until the next file is
 * requested.
 */
export class Locations {
  readonly limits: FileLimits;
  private readonly folder: string;

  /** @param bucket opens a folder on S3. */
  constructor(
    { importFolder, importMaxGib }: Pick<CorpusConfig, 'importFolder' | 'importMaxGib'>,
    private readonly downloads: HttpsDownloads,
    private readonly bucket: (location: string) => Promise<FileStore>,
  ) {
    this.limits = { unpackedBytesMax: importMaxGib * GIB };
    this.folder = join(importFolder ?? tmpdir(), 'corpus-imports');
  }

  /**
   * Yields the files of a source. Of a folder, these are all files. Files from HTTPS and S3 are downloaded and yielded
   * unless `isKnown`; the content of a file is deleted when the next file is requested.
   * @throws BadFile for a location that cannot be read; the errors of `HttpsDownloads.fetch` and of the store; the
   *   reason of the signal.
   */
  async *filesOf(
    { location }: Pick<ImportedSource, 'location'>,
    now: Date,
    isKnown: IsKnown,
    signal: AbortSignal,
  ): AsyncGenerator<FoundFile, void, void> {
    if (location.startsWith('/')) {
      yield* await filesOfFolder(location, now);
      return;
    }
    // Only one import runs per installation, so nobody else uses this folder, but a killed import may have left files
    // in it.
    await rm(this.folder, { recursive: true, force: true });
    await mkdir(this.folder, { recursive: true });
    const path = join(this.folder, 'download');
    const wanted = { path, now, isKnown, signal };
    try {
      if (location.startsWith('https:')) yield* this.ofAddress(new URL(location), wanted);
      else yield* this.ofBucket(location, wanted);
    } finally {
      await rm(this.folder, { recursive: true, force: true });
    }
  }

  /**
   * Returns the path of a folder's file if it can still be read unchanged; otherwise, and for files
   * from elsewhere, undefined.
   */
  async pathOf(
    { location }: Pick<ImportedSource, 'location'>,
    { file, version }: Pick<FoundFile, 'file' | 'version'>,
  ): Promise<string | undefined> {
    if (!location.startsWith('/')) return undefined;
    const path = join(location, file);
    const stats = await lstat(path).catch(() => undefined);
    return stats?.isFile() && versionOf(stats) === version ? path : undefined;
  }

  private async *ofAddress(url: URL, wanted: Wanted): AsyncGenerator<FoundFile, void, void> {
    const { path, now, isKnown, signal } = wanted;
    const file = basename(url.pathname) || 'index';
    const versionFrom = ({ version, modifiedAt = now }: Fetched): FileVersion => ({
      file,
      version,
      observedAt: dateOf(file, modifiedAt, now),
    });
    const fetched = await this.downloads.fetch(url, path, {
      signal,
      isKnown: (one) => isKnown(versionFrom(one)),
    });
    if (fetched) yield { ...versionFrom(fetched), path };
  }

  private async *ofBucket(location: string, wanted: Wanted): AsyncGenerator<FoundFile, void, void> {
    const { path, now, isKnown, signal } = wanted;
    const store = await this.bucket(location);
    try {
      const files = (await filesOfStore(store)).map(({ key, etag, modifiedAt }) => ({
        file: key,
        version: etag,
        observedAt: dateOf(key, modifiedAt, now),
        path,
      }));
      for (const found of files.toSorted(inOrder)) {
        if (await isKnown(found)) continue;
        const { content } = await store.read(found.file, { etag: found.version });
        const limited = withinLimit(content, this.limits.unpackedBytesMax);
        await pipeline(limited, createWriteStream(path), { signal });
        yield found;
      }
    } finally {
      await store.close();
    }
  }
}

/**
 * Yields the content of a file up to the first piece beyond the limit. `checkFile` then rejects this file only, and the
 * import continues with the others.
 */
async function* withinLimit(content: AsyncIterable<Uint8Array>, bytesMax: number) {
  let bytes = 0;
  for await (const chunk of content) {
    yield chunk;
    bytes += chunk.byteLength;
    if (bytes > bytesMax) return;
  }
}

/** How files are fetched: unknown ones only, one after another, to `path`. */
interface Wanted {
  path: string;
  now: Date;
  isKnown: IsKnown;
  signal: AbortSignal;
}

/** Lists the files of a store. @throws BadFile if there are more files than an operator can have intended. */
async function filesOfStore(store: FileStore): Promise<FileFacts[]> {
  const files: FileFacts[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.list('', { limit: PAGE_FILES, after });
    // Consoles store an empty object for a folder.
    files.push(...page.files.filter(({ key }) => key !== '' && !key.endsWith('/')));
    if (files.length > FILES_MAX) {
      throw new BadFile(`There are more than ${FILES_MAX} files. Name a folder with fewer.`);
    }
    if (page.next === undefined) return files;
    after = page.next;
  }
}

async function filesOfFolder(folder: string, now: Date): Promise<FoundFile[]> {
  const names = await readdir(folder).catch(() => {
    throw new BadFile(`There is no folder ${folder} that the corpus can read.`);
  });
  const files: FoundFile[] = [];
  for (const file of names.toSorted()) {
    const path = join(folder, file);
    // This fails if the file was removed in the meantime, or if its name is not UTF-8.
    const stats = await lstat(path).catch(() => undefined);
    // Links are skipped, because they may lead anywhere. A file whose name begins with a dot is still being written.
    if (!stats?.isFile() || file.startsWith('.')) continue;
    files.push({
      file,
      version: versionOf(stats),
      path,
      observedAt: dateOf(file, stats.mtime, now),
    });
  }
  return files.toSorted(inOrder);
}

const versionOf = ({ mtime, size }: { mtime: Date; size: number }) =>
  `${mtime.toISOString()} ${size}`;

const inOrder = (a: FoundFile, b: FoundFile) => a.observedAt.getTime() - b.observedAt.getTime();

/** Returns the date in a file's name or, if there is none, the time of the file's last change; never later than now. */
function dateOf(file: string, changedAt: Date, now: Date): Date {
  const [, year, month, day] = /(?<!\d)((?:19|20)\d\d)-?(\d\d)-?(\d\d)(?!\d)/.exec(file) ?? [];
  const named = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const date = Number.isNaN(named.getTime()) ? changedAt : named;
  return date < now ? date : now;
}
