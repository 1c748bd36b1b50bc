import { existsSync, mkdtempSync, rmSync, rmdirSync, statfsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DataFolder } from '../data-folder/data-folder.js';
import { portRefusal } from './before-build.js';
import { StartFault } from './start-fault.js';

/** Minimum free space; with less, PostgreSQL would soon fail. */
const DISK_FREE_MIN_BYTES = 512 * 1024 * 1024;

/** Checks that files can be created in `folder`, and creates a missing folder. @throws StartFault otherwise. */
export function checkFolderWritable(folder: DataFolder): void {
  tryFolder(folder, () => {
    folder.create();
    tryFile(folder.path);
  });
}

/**
 * Checks that `folder` is writable or, if it does not exist, that it could be created; leaves
 * nothing behind.
 * @throws StartFault otherwise.
 */
export function checkFolderCanBeWritten(folder: DataFolder): void {
  tryFolder(folder, () => {
    const existing = nearestExisting(folder.path);
    if (existing === folder.path) return tryFile(existing);
    rmdirSync(mkdtempSync(join(existing, '.write-check-')));
  });
}

const nearestExisting = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

function tryFile(folder: string): void {
  const probe = join(folder, '.write-check');
  writeFileSync(probe, 'x');
  rmSync(probe);
}

function tryFolder(folder: DataFolder, look: () => void): void {
  try {
    look();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw diskFull(folder.path, 0);
    throw new StartFault(
      `The data folder ${folder.path} cannot be written (${code}).`,
      `Allow this user to write there, or name another folder: DATA_DIR=/path npm start`,
    );
  }
}

/** Checks the disk of `folder`, or of its nearest existing parent. @throws StartFault if the disk is nearly full. */
export function checkDiskSpace(folder: string): void {
  const { bavail, bsize } = freeSpace(folder);
  if (bavail * bsize < DISK_FREE_MIN_BYTES) throw diskFull(folder, bavail * bsize);
}

/** Checks that the port is free. Port 0 is always free. @throws StartFault if nothing can listen on the port. */
export async function checkPortFree(port: number, setting: string): Promise<void> {
  const refusal = await portRefusal(port, setting);
  if (refusal) throw new StartFault(refusal.what, refusal.remedy);
}

function freeSpace(folder: string): { bavail: number; bsize: number } {
  try {
    return statfsSync(folder);
  } catch {
    return freeSpace(dirname(folder));
  }
}

function diskFull(folder: string, freeBytes: number): StartFault {
  const freeMebibytes = Math.floor(freeBytes / 2 ** 20);
  return new StartFault(
    `The disk of ${folder} is nearly full (${freeMebibytes} MiB free).`,
    'Free at least 512 MiB, or name a folder on another disk: DATA_DIR=/path npm start',
  );
}
