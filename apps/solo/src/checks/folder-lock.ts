import { rmSync, writeFileSync } from 'node:fs';
import { LOCK_FILE, type LockOwner, lockHolder, runsAlready, startOf } from './before-build.js';
import { StartFault } from './start-fault.js';
import type { DataFolder } from '../data-folder/data-folder.js';

/**
 * Keeps two installations, of solo or of a cluster, from working in one data folder. A lock that a kill -9 left behind
 * is ignored.
 */
export class FolderLock {
  private constructor(private readonly path: string) {}

  /**
   * Takes the lock of a data folder, even from a process that no longer runs.
   * @param factsFile the file to which the holder writes its addresses.
   * @throws StartFault if a running process holds the folder.
   */
  static take(folder: DataFolder, factsFile = 'solo.json'): FolderLock {
    const path = folder.file(LOCK_FILE);
    const own: LockOwner = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
    for (;;) {
      try {
        writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
        return new FolderLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = FolderLock.holder(folder);
      if (holder !== undefined) {
        const { what, remedy } = runsAlready(folder.path, holder, factsFile);
        throw new StartFault(what, remedy);
      }
      rmSync(path, { force: true });
    }
  }

  /** Returns the id of the running process that holds the folder, if there is one. */
  static holder(folder: DataFolder): number | undefined {
    return lockHolder(folder.path);
  }

  release(): void {
    rmSync(this.path, { force: true });
  }
}
