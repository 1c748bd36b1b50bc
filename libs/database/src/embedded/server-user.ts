import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ServerUser {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Returns the user as which the server runs if this process is root, because PostgreSQL does not run as root:
 * `postgres` if the system has this user, otherwise `nobody`.
 * @returns undefined if this process is not root; the server then runs as the current user.
 * @throws Error if the system has neither user.
 */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const found = users.find(([name]) => name === wanted);
    if (found) return { name: wanted, uid: Number(found[2]), gid: Number(found[3]) };
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is no user "postgres" or "nobody": create one, or start as another user',
  );
}

/** The folder in which a root process stores data if the server's user cannot reach the requested folder. */
const SYSTEM_FOLDER = '/var/lib/domain-data-service';

/**
 * Creates the folder in which the server works, gives it to `user`, and returns it. This is `wanted`, unless this
 * process is root and the server's user cannot reach `wanted` (a clone under root's home). In that case, it is a folder
 * under `SYSTEM_FOLDER` whose name is a hash of `wanted`.
 * @throws Error if the user cannot reach that folder either.
 */
export function serverFolder(wanted: string, user: ServerUser | undefined): string {
  mkdirSync(wanted, { recursive: true });
  if (!user || isReachable(wanted, user)) return wanted;
  const folder = systemFolder(wanted);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (!isReachable(folder, user)) throw new Error(`the user ${user.name} cannot reach ${folder}`);
  return folder;
}

/** Whether `serverFolder(wanted)` can be this folder. */
export function isServerFolder(folder: string, wanted: string): boolean {
  return folder === wanted || folder === systemFolder(wanted);
}

function systemFolder(wanted: string): string {
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 16);
  return join(SYSTEM_FOLDER, name);
}

function isReachable(folder: string, user: ServerUser): boolean {
  chownSync(folder, user.uid, user.gid);
  return spawnSync('test', ['-w', folder], { uid: user.uid, gid: user.gid }).status === 0;
}
