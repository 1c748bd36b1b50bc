import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const MEMORY_MIN_BYTES = 4 * 2 ** 30;
const PREFIX = 'dds-test-';

/**
 * A new folder for what a run or an installation of a spec keeps: in memory where Linux has enough of it, since the clone
 * of a template is 1,200 files; on the disk where it is measured what that costs. PostgreSQL's user may pass through:
 * otherwise its data would lie elsewhere, and stay there.
 */
export function makeRunFolder({ onDisk } = { onDisk: false }): string {
  const parent = onDisk || !hasMemory() ? tmpdir() : MEMORY;
  if (parent === MEMORY) removeAbandoned(MEMORY, PREFIX);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** A new folder of this process on the disk; what killed runs have left of its kind goes. */
export function makeOwnFolder(kind: string): string {
  removeAbandoned(tmpdir(), `${kind}-`);
  return mkdtempSync(join(tmpdir(), `${kind}-${process.pid}-`));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of killed runs; a server of such a run ends when its folder is gone. */
function removeAbandoned(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Whether a process of that id runs. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
