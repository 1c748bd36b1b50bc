import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '#libs/database';

export const CACHE = join(homedir(), '.cache', 'domain-data-service');

/** Returns a path in the user's cache that depends on the contents of files and on additional strings. */
export function cachedPath(kind: string, files: readonly string[], ...words: string[]): string {
  const hash = createHash('sha256');
  for (const text of [...files.map((file) => readFileSync(file)), ...words]) hash.update(text);
  return join(CACHE, `${kind}-${hash.digest('hex').slice(0, 12)}`);
}

/** Creates a folder in the cache unless it exists. @param make fills the empty folder. */
export async function madeOnce(
  path: string,
  make: (folder: string) => Promise<unknown>,
): Promise<string> {
  if (existsSync(path)) return path;
  await makeFolder(path, async (making) => {
    mkdirSync(making, { recursive: true });
    await make(making);
  });
  return path;
}
