import { randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import {
  type FileHandle,
  access,
  constants,
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Clock, DAY_MS, HOUR_MS } from '#libs/platform';
import { FileChanged, FileExists, FileMissing, FilesUnavailable } from './file-failures.js';
import {
  type ByteRange,
  type FileFacts,
  type FilePage,
  FileStore,
  type OpenFile,
} from './file-store.js';

/** The folder for unfinished files, which no key can name, because no key begins with a dot. */
const MAKING = '.making';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const READ_BYTES = 256 * 1024;
/** The number of attempts if a folder is removed while a file is moved into it. */
const MOVE_TRIES_MAX = 5;
/**
 * The smaller of these two amounts of disk space stays free, because PostgreSQL, often on the same disk, stops when it
 * is full.
 */
const ROOM = { bytes: 2 * 1024 ** 3, share: 0.05 };
/** The number of bytes that are written before the free space is checked again. */
const CHECKED_EVERY = 16 * 1024 ** 2;

/**
 * Files in a folder of this machine, or of a disk that several machines share. A file stays in `.making` until it is
 * complete and on the disk; then one step moves it to its place.
 */
export class FolderStore extends FileStore {
  /** The names of the partial files that this process is writing. */
  private readonly writing = new Set<string>();
  private sweptAtMs = -Infinity;

  private constructor(
    private readonly root: string,
    private readonly clock: Clock,
    private readonly room: typeof ROOM,
  ) {
    super();
  }

  /** Creates the folder if it does not exist. */
  static async open(folder: string, clock: Clock, room = ROOM): Promise<FolderStore> {
    const root = resolve(folder);
    await mkdir(join(root, MAKING), { recursive: true, mode: FOLDER_MODE });
    const store = new FolderStore(root, clock, room);
    await store.sweep();
    return store;
  }

  async check(): Promise<void> {
    await access(join(this.root, MAKING), constants.R_OK | constants.W_OK);
    await this.requireRoom();
  }

  async close(): Promise<void> {
    // Does nothing, because no resource stays open between calls.
  }

  protected async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    ifAbsent: boolean,
  ): Promise<FileFacts> {
    const name = randomUUID();
    const made = join(this.root, MAKING, name);
    await this.sweep();
    await this.requireRoom();
    this.writing.add(name);
    let unchecked = 0;
    try {
      const file = await open(made, 'wx', FILE_MODE);
      try {
        for await (const piece of content) {
          await stored(file.writeFile(piece));
          unchecked += piece.length;
          if (unchecked < CHECKED_EVERY) continue;
          await this.requireRoom();
          unchecked = 0;
        }
        await stored(file.sync());
      } finally {
        await file.close();
      }
      await this.move(made, key, ifAbsent);
    } finally {
      await rm(made, { force: true });
      this.writing.delete(name);
    }
    const facts = await this.find(key);
    if (!facts) throw new FileMissing(key);
    return facts;
  }

  protected async find(key: string): Promise<FileFacts | undefined> {
    const found = await stat(this.pathOf(key), { bigint: true }).catch(notThere);
    return found?.isFile() ? factsOf(key, found) : undefined;
  }

  protected async open(facts: FileFacts, range: Required<ByteRange>): Promise<OpenFile> {
    const { key } = facts;
    const file = await open(this.pathOf(key), 'r').catch(notThere);
    if (!file) throw new FileMissing(key);
    try {
      const now = factsOf(key, await file.stat({ bigint: true }));
      if (now.etag !== facts.etag) throw new FileChanged(key);
    } catch (error) {
      await file.close();
      throw error;
    }
    return { facts, range, content: readerOf(file, range) };
  }

  protected async page(prefix: string, limit: number, after = ''): Promise<FilePage> {
    const files: FileFacts[] = [];
    for await (const key of this.keysIn(prefix, after)) {
      const facts = await this.find(key);
      if (!facts) continue;
      if (files.length === limit) return { files, next: files[limit - 1].key };
      files.push(facts);
    }
    return { files };
  }

  protected async removeFile(key: string): Promise<void> {
    await unlink(this.pathOf(key)).catch(notThere);
  }

  protected async removeFolder(prefix: string): Promise<void> {
    await rm(this.pathOf(prefix), { recursive: true, force: true, maxRetries: MOVE_TRIES_MAX });
  }

  protected async join(sources: readonly FileFacts[], target: string): Promise<FileFacts> {
    return this.put(target, this.contentOf(sources), false);
  }

  protected async sign(): Promise<undefined> {
    return undefined;
  }

  /**
   * Removes, at most once an hour, the partial files of processes that were killed a day ago or earlier. Such a process
   * usually starts again at once, when its file is still too new to be told from one that is being written.
   */
  private async sweep(): Promise<void> {
    const nowMs = this.clock.now().getTime();
    if (nowMs - this.sweptAtMs < HOUR_MS) return;
    this.sweptAtMs = nowMs;
    const making = join(this.root, MAKING);
    for (const name of await readdir(making)) {
      if (this.writing.has(name)) continue;
      const path = join(making, name);
      const found = await stat(path).catch(notThere);
      if (found && found.mtimeMs < nowMs - DAY_MS) await rm(path, { force: true });
    }
  }

  /** Checks that the disk has enough free space. @throws FilesUnavailable if it has too little, or is broken. */
  private async requireRoom(): Promise<void> {
    const { blocks, bavail, bsize } = await stored(statfs(this.root));
    const kept = Math.min(this.room.bytes, this.room.share * blocks * bsize);
    if (bavail * bsize >= kept) return;
    throw new FilesUnavailable(new Error(`the disk has less than ${Math.ceil(kept)} bytes left`));
  }

  private async *contentOf(sources: readonly FileFacts[]): AsyncGenerator<Uint8Array, void, void> {
    for (const facts of sources) {
      const { content } = await this.open(facts, { first: 0, last: facts.sizeBytes - 1 });
      yield* content as AsyncIterable<Uint8Array>;
    }
  }

  private pathOf(key: string): string {
    return join(this.root, key);
  }

  /**
   * Moves a file into its place in one step. Creates the file's folders, and creates them again if they are removed in
   * the meantime.
   * @throws FileExists with `ifAbsent`.
   */
  private async move(made: string, key: string, ifAbsent: boolean): Promise<void> {
    const path = this.pathOf(key);
    for (let tries = 1; ; tries++) {
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      try {
        await (ifAbsent ? link(made, path) : rename(made, path));
        break;
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'EEXIST') throw new FileExists(key);
        if (code !== 'ENOENT' || tries === MOVE_TRIES_MAX) throw error;
      }
    }
    await sync(dirname(path));
  }

  /** Lists keys after `after`, in the order of S3: compared as bytes, where a folder counts as its name with `/`. */
  private async *keysIn(prefix: string, after: string): AsyncGenerator<string, void, void> {
    const entries = await readdir(this.pathOf(prefix), { withFileTypes: true }).catch(notThere);
    const names = (entries ?? [])
      .filter(({ name }) => name !== MAKING)
      .map((entry) => prefix + entry.name + (entry.isDirectory() ? '/' : ''))
      .toSorted((a, b) => (a < b ? -1 : 1));
    for (const name of names) {
      if (!name.endsWith('/')) {
        if (name > after) yield name;
      } else if (name > after || after.startsWith(name)) yield* this.keysIn(name, after);
    }
  }
}

/**
 * Returns the facts about a file. Its entity tag consists of inode number, time and size: each write creates a new
 * file, which differs in at least one of them.
 */
function factsOf(key: string, { ino, mtimeNs, mtimeMs, size }: BigIntStats): FileFacts {
  const etag = `"${[ino, mtimeNs, size].map((n) => n.toString(36)).join('-')}"`;
  return { key, sizeBytes: Number(size), etag, modifiedAt: new Date(Number(mtimeMs)) };
}

function readerOf(file: FileHandle, { first, last }: Required<ByteRange>) {
  // An empty file has no last byte.
  const end = last < first ? undefined : last;
  return file.createReadStream({ start: first, end, highWaterMark: READ_BYTES });
}

/** Waits for an operation on the disk. @throws FilesUnavailable if it fails, for example because the disk is full. */
async function stored<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    throw new FilesUnavailable(error);
  }
}

/** Syncs a folder, so that its entries survive a power failure. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(notThere);
  await handle?.sync().finally(() => handle.close());
}

function notThere(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}
