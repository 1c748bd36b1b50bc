import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
const MEMORY_MIN_BYTES = 4 * 2 ** 30;
const PREFIX = 'dds-test-';

/**
 * A new folder for what a run keeps: in memory where Linux has enough of it, since the clone of a template is 1,200
 * files; on the disk where it is measured what that costs.
 */
export function makeRunFolder({ onDisk }: { onDisk: boolean }): string {
  const parent = onDisk || !hasMemory() ? tmpdir() : MEMORY;
  if (parent === MEMORY) removeAbandoned();
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
}

function hasMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_MIN_BYTES;
  } catch {
    return false;
  }
}

/** Removes the folders of killed runs; a server left by one ends when it finds its folder gone. */
function removeAbandoned(): void {
  for (const name of readdirSync(MEMORY)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
