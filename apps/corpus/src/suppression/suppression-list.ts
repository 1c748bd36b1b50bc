import { randomBytes } from 'node:crypto';
import { appendFile, readFile, rename, stat, writeFile } from 'node:fs/promises';
import {
  SUPPRESSED_KINDS,
  type SuppressedKind,
  type SuppressedValue,
} from './suppressed-values.js';

const KEY_BYTES = 32;
const KEY_LINE = /^key ([A-Za-z0-9_-]{43})$/;
const VALUE_LINE = /^([0-9]{1,15}) ([a-z]+) ([0-9a-f]{64}) ([0-9TZ:.-]{20,30})$/;

export interface SuppressionFile {
  key: Buffer;
  values: SuppressedValue[];
}

/**
 * The list of suppressed values: a file, stored with the secrets, that contains the key of the hashes and one line per
 * value. The database has a copy of the hashes without the key, so a stolen dump does not identify anyone. The list is
 * applied again to a restored database.
 */
export class SuppressionList {
  constructor(private readonly path: string) {}

  /** Returns a text that changes whenever the file changes. */
  async state(): Promise<string> {
    const { ino, size, mtimeMs } = await stat(this.path).catch(() => ({
      ino: 0,
      size: 0,
      mtimeMs: 0,
    }));
    return `${ino} ${size} ${mtimeMs}`;
  }

  /**
   * Reads the list. @returns undefined if no list has been created yet, or only an empty file, which earlier releases
   * left behind on a full disk. @throws Error for a file that cannot be read or is not a list.
   */
  async read(): Promise<SuppressionFile | undefined> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (!text) return undefined;
    // The last line may have been cut off by a kill. In that case, its suppression was never confirmed.
    const [first, ...lines] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    const key = KEY_LINE.exec(first)?.[1];
    if (!key) throw new Error(`${this.path} does not begin with the key of a list`);
    return { key: Buffer.from(key, 'base64url'), values: lines.flatMap(valuesOf) };
  }

  /**
   * Creates a list with a new key, completely or not at all: without its key, the list could never be read. Call this
   * only under the lock of the write path, after `read` has found no list.
   */
  async begin(): Promise<SuppressionFile> {
    const key = randomBytes(KEY_BYTES);
    const partial = `${this.path}.partial`;
    const text = `key ${key.toString('base64url')}\n`;
    await writeFile(partial, text, { mode: 0o600, flush: true });
    await rename(partial, this.path);
    return { key, values: [] };
  }

  async add({ version, kind, hash, addedAt }: SuppressedValue): Promise<void> {
    const text = await readFile(this.path, 'utf8');
    const before = text.endsWith('\n') ? '' : '\n';
    const line = `${before}${version} ${kind} ${hash} ${addedAt.toISOString()}\n`;
    await appendFile(this.path, line, { flush: true });
  }
}

function valuesOf(line: string): SuppressedValue[] {
  const [, version, kind, hash, addedAt] = VALUE_LINE.exec(line) ?? [];
  if (!(SUPPRESSED_KINDS as readonly string[]).includes(kind)) return [];
  const known = kind as SuppressedKind;
  return [{ version: Number(version), kind: known, hash, addedAt: new Date(addedAt) }];
}
