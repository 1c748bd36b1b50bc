import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processExists } from '#libs/platform';

const MEMORY = '/dev/shm';
const MEMORY_MIN_BYTES = 4 * 2 ** 30;
const PREFIX = 'dds-test-';

/**
 * Creates a folder for the files of a run or of a spec's installation. The folder is in memory if Linux has enough,
 * because a clone of the template has 1,200 files; with `onDisk`, for measurements of disk accesses, it is on the disk.
 * PostgreSQL's user may enter the folder; otherwise, its data would be stored elsewhere and never be removed.
 */
export function makeRunFolder({ onDisk } = { onDisk: false }): string {
  const parent = onDisk || !hasMemory() ? tmpdir() : MEMORY;
  if (parent === MEMORY) removeAbandoned(MEMORY, PREFIX);
  const folder = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Creates a folder of this process on the disk, and removes such folders of killed runs. */
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

/** Removes the folders of killed runs. A server of such a run ends when its folder is removed. */
function removeAbandoned(parent: string, prefix: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || processExists(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 10 });
  }
}
