import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type OwnProcess, isThere } from './processes.js';

const PRLIMIT = '/usr/bin/prlimit';

/**
 * From now on no write of the process to a file succeeds, as on a full disk: the soft limit of its files' size is 0
 * (`EFBIG`, getrlimit(2); PostgreSQL ignores the signal so that this works like a full disk, so does Node). Processes
 * that it starts inherit that. Pipes and sockets go on.
 */
export async function fillDisk(target: OwnProcess): Promise<void> {
  await setFileSizeLimit(target, '0');
}

/** There is room again. */
export async function freeDisk(target: OwnProcess): Promise<void> {
  await setFileSizeLimit(target, 'unlimited');
}

/** Why disks cannot be filled here; undefined when they can. */
export function fullDiskMissing(): string | undefined {
  return existsSync(PRLIMIT) ? undefined : 'prlimit is missing (package util-linux)';
}

/**
 * The soft limit alone, which can be raised again without root, and as the target's own user, as root itself may
 * not in a container. A process that is gone is passed over.
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
