import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { besides, makeFolder, removeLeftBesides } from './make-folder.js';
import type { ServerUser } from './server-user.js';

export interface Initialise {
  binaries: string;
  data: string;
  password: string;
  user: ServerUser | undefined;
  durable: boolean;
  /** Aborts the creation, without leaving anything behind. */
  signal?: AbortSignal;
}

/**
 * Creates an empty database cluster in `data`, completely or not at all.
 * @throws Error with the output of `initdb` if it fails; the signal's reason if it was aborted.
 */
export async function initialise({
  binaries,
  data,
  password,
  user,
  durable,
  signal,
}: Initialise): Promise<void> {
  removeLeftBesides(data);
  const passwordFile = besides(data, 'password');
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  try {
    await makeFolder(data, async (making) => {
      mkdirSync(making, { mode: 0o700 });
      if (user) chownSync(making, user.uid, user.gid);
      const settings = [
        `--pgdata=${making}`,
        '--username=postgres',
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        ...(durable ? [] : ['--no-sync']),
      ];
      const owner = { uid: user?.uid, gid: user?.gid, cwd: dirname(data) };
      await run(join(binaries, 'bin', 'initdb'), settings, owner, signal);
    });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw new Error(`initdb failed: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * Runs `initdb` in its own session: a Ctrl-C reaches only this process, which then ends `initdb` and all of its
 * children.
 */
async function run(
  program: string,
  args: string[],
  owner: { uid?: number; gid?: number; cwd: string },
  signal?: AbortSignal,
): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(program, args, {
    ...owner,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL');
  signal?.addEventListener('abort', end, { once: true });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(said.trim() || `it ended with ${code ?? 'a signal'}`);
  } finally {
    signal?.removeEventListener('abort', end);
  }
}
