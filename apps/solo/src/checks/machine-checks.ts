import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { DataFolder } from '../data-folder/data-folder.js';
import { StartFault } from './start-fault.js';

/** Free space below which PostgreSQL would soon stop in the middle of something. */
const DISK_FREE_MIN_BYTES = 512 * 1024 * 1024;

/** @throws StartFault when files cannot be made in `folder`; the folder exists afterwards. */
export function checkFolderWritable(folder: DataFolder): void {
  try {
    folder.create();
    const probe = folder.file('.write-check');
    writeFileSync(probe, 'x');
    rmSync(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC') throw diskFull(folder.path, 0);
    throw new StartFault(
      `The data folder ${folder.path} cannot be written (${code}).`,
      `Give this user the right to write there, or name another folder: DATA_DIR=/path npm start`,
    );
  }
}

/** @throws StartFault when the disk of `folder` (or of its nearest existing parent) is nearly full. */
export function checkDiskSpace(folder: string, minBytes = DISK_FREE_MIN_BYTES): void {
  const { bavail, bsize } = freeSpace(folder);
  if (bavail * bsize < minBytes) throw diskFull(folder, bavail * bsize);
}

/** @throws StartFault when something listens on the port already. Port 0 is always free. */
export async function checkPortFree(
  port: number,
  setting: string,
  host = '127.0.0.1',
): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ port, host, exclusive: true }, resolve);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what =
      code === 'EADDRINUSE' ? `Port ${port} is taken.` : `Port ${port} cannot be opened (${code}).`;
    throw new StartFault(
      what,
      `Stop what uses it, or choose another: ${setting}=0 npm start takes any free port.`,
    );
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}

/** A port that is free now, for an address that must be known before the listener starts. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen({ port: 0, host }, resolve);
  });
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
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
