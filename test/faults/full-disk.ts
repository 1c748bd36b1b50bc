import { execFile } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

const PRLIMIT = '/usr/bin/prlimit';

/**
 * Makes every later write to a file by the process and its children fail, as on a full disk, by setting the soft limit
 * of their file size to 0 (`EFBIG`, getrlimit(2); PostgreSQL and Node ignore the signal). Pipes and sockets still work.
 */
export async function fillDisk(pid: number): Promise<void> {
  await limitFileSize(pid, '0');
}

export async function freeDisk(pid: number): Promise<void> {
  await limitFileSize(pid, 'unlimited');
}

export function fullDiskMissing(): string | undefined {
  return existsSync(PRLIMIT) ? undefined : 'prlimit is missing (package util-linux)';
}

/**
 * Sets only the soft limit, which can be raised again without root. Runs as the target's own user, because root may not
 * change the limit in a container. Skips processes that have ended.
 */
async function limitFileSize(pid: number, limit: string): Promise<void> {
  const folder = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  if (!folder) return;
  try {
    const { uid, gid } = folder;
    await promisify(execFile)(PRLIMIT, [`--pid=${pid}`, `--fsize=${limit}:`], { uid, gid });
  } catch (error) {
    if (existsSync(`/proc/${pid}`)) throw error;
  }
  // The process itself comes first, because the processes that it starts inherit the limit.
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(path) ? readFileSync(path, 'utf8').match(/\d+/g) : [];
  for (const child of children ?? []) await limitFileSize(Number(child), limit);
}
