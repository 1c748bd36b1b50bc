import { getCompileCacheDir } from 'node:module';
import { dirname, resolve } from 'node:path';

/**
 * Returns the folder of this process's compile cache, if it has one. Node keeps a subfolder for each of its versions
 * there.
 */
export function ownCompileCache(): string | undefined {
  const folder = getCompileCacheDir();
  return folder === undefined ? undefined : resolve(dirname(folder));
}
