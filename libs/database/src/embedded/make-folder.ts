import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { processExists } from '#libs/platform';

/**
 * Creates a folder atomically: `fill` works in a temporary folder beside it, which is renamed when it is complete. A
 * killed process leaves nothing incomplete under the final name. If two processes run at once, the folder of the first
 * is kept. A folder that is not empty is never changed.
 */
export async function makeFolder(
  path: string,
  fill: (making: string) => void | Promise<void>,
): Promise<void> {
  const making = besides(path, 'making');
  rmSync(making, { recursive: true, force: true });
  try {
    await fill(making);
    renameSync(making, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/**
 * Returns a name beside `path` that contains the process id, for files that are obsolete once the process has ended.
 */
export function besides(path: string, what: string): string {
  return `${path}.${what}.${process.pid}`;
}

/** Removes the files of killed processes beside `path`. */
export function removeLeftBesides(path: string): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path)).filter((each) => each.startsWith(prefix))) {
    const pid = Number(/^(?:making|password)\.(\d+)$/.exec(name.slice(prefix.length))?.[1]);
    if (pid > 0 && !processExists(pid)) {
      rmSync(join(dirname(path), name), { recursive: true, force: true });
    }
  }
}
