import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CACHE = join(homedir(), '.cache', 'domain-data-service');

/** Returns a path in the user's cache that depends on the contents of files and on additional strings. */
export function cachedPath(kind: string, files: readonly string[], ...words: string[]): string {
  const hash = createHash('sha256');
  for (const text of [...files.map((file) => readFileSync(file)), ...words]) hash.update(text);
  return join(CACHE, `${kind}-${hash.digest('hex').slice(0, 12)}`);
}

/**
 * Creates a folder unless it exists. If several processes create the folder at the same time, the first one is kept.
 * @param make fills an empty folder, which is then renamed to the path.
 */
export async function madeOnce(
  path: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  if (existsSync(path)) return path;
  const making = `${path}.making.${process.pid}`;
  mkdirSync(making, { recursive: true });
  try {
    await make(making);
    renameSync(making, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return path;
}
