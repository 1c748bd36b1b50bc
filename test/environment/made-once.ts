import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export const CACHE = join(homedir(), '.cache', 'domain-data-service');

/** A path in the user's cache that changes with the contents of files and with further words. */
export function cachedPath(kind: string, files: readonly string[], ...words: string[]): string {
  const hash = createHash('sha256');
  for (const text of [...files.map((file) => readFileSync(file)), ...words]) hash.update(text);
  return join(CACHE, `${kind}-${hash.digest('hex').slice(0, 12)}`);
}

/**
 * Makes a folder unless it exists. If several processes make it at once, the first one counts.
 * @param make fills an empty folder, which then gets the path.
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
