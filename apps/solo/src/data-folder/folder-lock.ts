import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { StartFault } from '../checks/start-fault.js';
import type { DataFolder } from './data-folder.js';

const FILE = 'solo.lock';

interface Owner {
  pid: number;
  /** When the system started that process: a process number alone may belong to another by now. */
  startedAt: string;
}

/**
 * Keeps two installations, of solo or of a cluster, from working in one data folder. Left behind by a kill -9,
 * it counts for nothing.
 */
export class FolderLock {
  private constructor(private readonly path: string) {}

  /**
   * @param factsFile where the holder says its addresses.
   * @throws StartFault while a living process holds the folder.
   */
  static take(folder: DataFolder, factsFile = 'solo.json'): FolderLock {
    const path = folder.file(FILE);
    const own: Owner = { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
    for (;;) {
      try {
        writeFileSync(path, JSON.stringify(own), { flag: 'wx', mode: 0o600 });
        return new FolderLock(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = FolderLock.holder(folder);
      if (holder !== undefined) {
        throw new StartFault(
          `It is running already in ${folder.path} (process ${holder}).`,
          `Its addresses are in ${folder.file(factsFile)}. Stop it with: kill ${holder}`,
        );
      }
      rmSync(path, { force: true });
    }
  }

  /** Process number of the living holder, if there is one. */
  static holder(folder: DataFolder): number | undefined {
    try {
      const { pid, startedAt } = JSON.parse(readFileSync(folder.file(FILE), 'utf8')) as Owner;
      return startOf(pid) === startedAt ? pid : undefined;
    } catch {
      // No lock, or one that a crash cut short.
      return undefined;
    }
  }

  release(): void {
    rmSync(this.path, { force: true });
  }
}

/** What the system says about the start of a process; undefined when there is no such process. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Field 22, counted after the name, which may itself hold spaces and parentheses (proc(5)).
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' ? undefined : rest[18];
  } catch {
    if (process.platform === 'linux') return undefined;
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
