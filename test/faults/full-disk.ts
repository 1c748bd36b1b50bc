import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type OwnProcess, isThere } from './processes.js';

const PRLIMIT = '/usr/bin/prlimit';

/**
 * From now on every write of the process to a file fails, as on a full disk, because the soft limit of its file size is
 * 0 (`EFBIG`, getrlimit(2); PostgreSQL and Node ignore the signal). Processes that it starts inherit the limit. Pipes
 * and sockets still work.
 */
export async function fillDisk(target: OwnProcess): Promise<void> {
  await setFileSizeLimit(target, '0');
}

/** Ends the fault: writes succeed again. */
export async function freeDisk(target: OwnProcess): Promise<void> {
  await setFileSizeLimit(target, 'unlimited');
}

/** The reason why disks cannot be filled here; undefined if they can. */
export function fullDiskMissing(): string | undefined {
  return existsSync(PRLIMIT) ? undefined : 'prlimit is missing (package util-linux)';
}

/**
 * Sets only the soft limit, which can be raised again without root. Runs as the target's own user, because root may not
 * do it in a container. Skips processes that are gone.
 */
async function setFileSizeLimit(target: OwnProcess, limit: string): Promise<void> {
  if (!isThere(target)) return;
  try {
    const { uid, gid } = statSync(`/proc/${target.pid}`);
    const words = [`--pid=${target.pid}`, `--fsize=${limit}:`];
    await promisify(execFile)(PRLIMIT, words, { uid, gid });
  } catch (error) {
    if (isThere(target)) throw error;
  }
}
