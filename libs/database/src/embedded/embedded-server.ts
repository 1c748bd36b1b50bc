import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, processExists } from '#libs/platform';
import { withClient } from '../provision.js';
import { findBinaries } from './binaries.js';
import { initialise } from './initialise.js';
import { type ServerUser, isServerFolder, serverFolder, serverUser } from './server-user.js';

export interface EmbeddedServerOptions {
  /** The folder with `pgdata`, `postgres.log` and, if necessary, a copy of the binaries. */
  folder: string;
  /** Password of the superuser `postgres`. The caller must store the password. */
  password: string;
  /** The port for a restarted server; by default, a free one. */
  port?: number;
  /**
   * Whether committed data survives a crash of the machine, as it does by default; false only for temporary test
   * servers.
   */
  durable?: boolean;
  /** The folder whose `bin` contains a PostgreSQL that replaces the one in the packages. */
  binaries?: string;
  /** Further settings, as for PostgreSQL's option `-c`. */
  settings?: Record<string, string>;
  /** Whether the database must exist already, so that a missing one is not replaced by an empty one. */
  existing?: boolean;
  /** Aborts the creation of a new database, without leaving anything behind. */
  signal?: AbortSignal;
}

/** The number of attempts, because another process may take the port after it has been found free. */
const START_TRIES_MAX = 3;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 50;
const LOG_MAX_BYTES = 50 * 1024 * 1024;

/**
 * A real PostgreSQL server on a free loopback port, owned by this process but in its own session, so that a Ctrl-C
 * reaches only this process and the server stops last. A server that outlived its owner, after a kill -9, is adopted.
 */
export class EmbeddedServer {
  private constructor(
    readonly pid: number,
    readonly port: number,
    private readonly options: EmbeddedServerOptions,
  ) {}

  static async start(wanted: EmbeddedServerOptions): Promise<EmbeddedServer> {
    const user = serverUser();
    const options = { ...wanted, folder: serverFolder(wanted.folder, user) };
    const data = join(options.folder, 'pgdata');
    const orphan = runningServer(data);
    if (orphan) {
      const adopted = new EmbeddedServer(orphan.pid, orphan.port, options);
      await adopted.untilReady();
      return adopted;
    }
    const binaries = options.binaries ?? (await findBinaries(user, options.folder));
    if (!existsSync(join(data, 'PG_VERSION'))) {
      const { password, durable = true, existing, signal } = options;
      if (existing) throw new Error(`the database is missing: restore ${data}, or mount its disk`);
      await initialise({ binaries, data, password, user, durable, signal });
    }
    if (!existsSync(join(data, 'PG_VERSION'))) {
      throw new Error(`${data} contains files but no database: move them away to start afresh`);
    }
    for (let tries = 1; ; tries++) {
      const port = options.port ?? (await freePorts(1))[0];
      const { pid } = launch({ binaries, data, port, user, options });
      const server = new EmbeddedServer(pid as number, port, options);
      try {
        await server.untilReady();
        return server;
      } catch (error) {
        const isTaken = lastLogLines(options.folder).includes('could not bind');
        if (options.port !== undefined || !isTaken || tries === START_TRIES_MAX) throw error;
      }
    }
  }

  /**
   * Stops the server that a killed process left running in a folder.
   * @param folder the actual data folder. @returns whether a server was running.
   */
  static async stopOrphan(folder: string): Promise<boolean> {
    const orphan = runningServer(join(folder, 'pgdata'));
    if (!orphan) return false;
    await new EmbeddedServer(orphan.pid, orphan.port, { folder, password: '' }).stop();
    return true;
  }

  /** Whether a server that is started with the folder `wanted` can have this actual folder. */
  static isFolderOf(wanted: string, folder: string): boolean {
    return isServerFolder(folder, wanted);
  }

  /** Whether the server runs; also true if that cannot be determined. */
  get isRunning(): boolean {
    return serves(this.pid, join(this.options.folder, 'pgdata')) !== false;
  }

  /** The actual data folder, which may differ from the requested folder. */
  get folder(): string {
    return this.options.folder;
  }

  url(database = 'postgres'): string {
    const password = encodeURIComponent(this.options.password);
    return `postgres://postgres:${password}@127.0.0.1:${this.port}/${database}`;
  }

  /**
   * Stops the server by a fast shutdown: sessions are ended, committed work is kept. After 20 s, stops it immediately.
   */
  async stop(): Promise<void> {
    // If the server has ended, its process id may now belong to another process.
    if (!this.isRunning) return;
    process.kill(this.pid, 'SIGINT');
    const attempts = STOP_TIMEOUT_MS / POLL_MS;
    for (let attempt = 0; attempt < attempts && isAlive(this.pid); attempt++) await sleep(POLL_MS);
    if (isAlive(this.pid)) process.kill(this.pid, 'SIGQUIT');
  }

  private async untilReady(): Promise<void> {
    let lastError: unknown;
    for (let attempt = 0; attempt < START_TIMEOUT_MS / POLL_MS; attempt++) {
      if (!isAlive(this.pid)) break;
      try {
        await withClient(this.url(), (client) => client.query('select 1'));
        return;
      } catch (error) {
        lastError = error;
        await sleep(POLL_MS);
      }
    }
    throw new Error(`PostgreSQL did not start: ${lastLogLines(this.options.folder)}`, {
      cause: lastError,
    });
  }
}

interface Launch {
  binaries: string;
  data: string;
  port: number;
  user: ServerUser | undefined;
  options: EmbeddedServerOptions;
}

function launch({ binaries, data, port, user, options }: Launch): ChildProcess {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    log_min_messages: 'warning',
    ...(options.durable === false && {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
    }),
    ...options.settings,
  };
  const log = openLog(join(options.folder, 'postgres.log'));
  const child = spawn(
    join(binaries, 'bin', 'postgres'),
    [
      '-D',
      data,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { detached: true, stdio: ['ignore', log, log], uid: user?.uid, gid: user?.gid, cwd: data },
  );
  closeSync(log);
  child.on('error', () => {});
  child.unref();
  return child;
}

/**
 * Opens a log to append lines. A log of more than 50 MiB is renamed first, and replaces the one that was renamed
 * before.
 */
function openLog(path: string): number {
  if (existsSync(path) && statSync(path).size > LOG_MAX_BYTES) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/**
 * Finds the running postmaster of a data folder by its `postmaster.pid` (line 1 pid, line 4 port). The file is removed
 * if its pid belongs to no process or to another one, because PostgreSQL would otherwise refuse to start. PostgreSQL
 * itself detects sessions that outlived their postmaster, by their shared memory.
 * @returns undefined if no postmaster is running.
 */
function runningServer(data: string): { pid: number; port: number } | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  const isServer = serves(pid, data);
  if (isServer === false) rmSync(file, { force: true });
  return isServer ? { pid, port } : undefined;
}

/** Whether a process is the postmaster of a data folder; undefined if that cannot be determined. */
function serves(pid: number, data: string): boolean | undefined {
  if (!isAlive(pid)) return false;
  const command = commandOf(pid);
  return command === undefined ? undefined : / -D (.*?) -c /.exec(command)?.[1] === data;
}

/** Returns a process's program and arguments, separated by blanks; undefined if unknown. */
function commandOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    const args = ['-ww', '-o', 'args=', '-p', String(pid)];
    return spawnSync('ps', args, { encoding: 'utf8' }).stdout || undefined;
  }
}

function isAlive(pid: number): boolean {
  return processExists(pid) && !isZombie(pid);
}

function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function lastLogLines(folder: string): string {
  const text = readFileSync(join(folder, 'postgres.log'), 'utf8').trimEnd();
  return text.split('\n').slice(-5).join(' | ');
}
