import { renameSync, rmSync } from 'node:fs';

/**
 * Makes a folder all at once: `fill` works beside it, and what it made takes the name when it is
 * whole. A process that is killed leaves nothing half done, of two at once the first one's is kept,
 * and a folder that holds anything is never touched.
 */
export function makeFolder(path: string, fill: (making: string) => void): void {
  const making = `${path}.making.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  try {
    fill(making);
    renameSync(making, path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}
