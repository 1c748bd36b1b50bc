import { type Readable, pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { HASH_DIGITS } from '#libs/contracts';
import type { FileStore } from '#libs/files';
import { type FileEdition, artifactKey, hashesKey } from '../files/file-edition.js';
import { type FileRow, FileText } from './file-text.js';

type KeptFile = Pick<FileEdition, 'dataset' | 'folder'>;

/** Thrown for a row without hashes, because the list of suppressed values was created after the row was read. */
export class UnhashedRow extends Error {
  constructor() {
    super('the rows of the file have no hashes');
  }
}

/** Whether a row of a file has one of the hashes. @throws UnhashedRow, FileMissing and the store's errors. */
export async function holdsAny(
  store: FileStore,
  file: KeptFile,
  hashes: ReadonlySet<string>,
): Promise<boolean> {
  for await (const line of hashLines(store, file)) {
    if (hasAny(hashesIn(line), hashes)) return true;
  }
  return false;
}

/** Yields the rows of a file that have none of the hashes, in order. @throws the same errors as `holdsAny`. */
export async function* rowsWithout(
  store: FileStore,
  file: KeptFile,
  hashes: ReadonlySet<string>,
): AsyncGenerator<FileRow> {
  const text = new FileText(file.dataset);
  const keyed = hashLines(store, file);
  try {
    for await (const line of jsonLines(store, file)) {
      const { value } = await keyed.next();
      const own = hashesIn(value as string);
      if (hasAny(own, hashes)) continue;
      yield { ...text.read(line), key: keyIn(value as string), hashes: own };
    }
  } finally {
    await keyed.return(undefined);
  }
}

const keyIn = (line: string) => line.slice(0, line.indexOf(' '));
const hashesIn = (line: string) => line.slice(line.indexOf(' ') + 1);

function hasAny(own: string, hashes: ReadonlySet<string>): boolean {
  if (own === '') throw new UnhashedRow();
  for (let place = 0; place < own.length; place += HASH_DIGITS) {
    if (hashes.has(own.slice(place, place + HASH_DIGITS))) return true;
  }
  return false;
}

async function* hashLines(store: FileStore, file: KeptFile): AsyncGenerator<string> {
  const { content } = await store.read(hashesKey(file));
  yield* linesIn(content);
}

async function* jsonLines(store: FileStore, file: KeptFile): AsyncGenerator<string> {
  const { content } = await store.read(artifactKey(file, 'json.gz'));
  const gunzip = createGunzip();
  // The reader of `gunzip` gets the error.
  pipeline(content, gunzip, () => {});
  yield* linesIn(gunzip);
}

async function* linesIn(content: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const piece of content as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } finally {
    content.destroy();
  }
}
