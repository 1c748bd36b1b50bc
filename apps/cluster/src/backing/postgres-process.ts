import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { EmbeddedServer, type EmbeddedServerOptions } from '#libs/database';
import type { ClusterProcess } from '../processes/cluster-process.js';

/**
 * A shell script that waits until our end of the pipe is closed, and then ends any postmaster in the folder, so that no
 * server outlives a killed owner. A clean shutdown removes `postmaster.pid`. After a kill, the id in that file may
 * meanwhile belong to another process.
 */
const WATCH = `
cat >/dev/null
pid=$(head -n 1 "$0/postmaster.pid") || exit
case "$(ps -ww -o args= -p "$pid")" in *" -D $0 "*) kill -INT "$pid" ;; esac`;

export class PostgresProcess implements ClusterProcess {
  readonly name = 'postgres';
  private watch: ChildProcess | undefined;

  private constructor(
    private readonly options: EmbeddedServerOptions,
    private server: EmbeddedServer,
  ) {
    this.watchOwner();
  }

  static async open(options: EmbeddedServerOptions): Promise<PostgresProcess> {
    const server = await EmbeddedServer.start(options);
    return new PostgresProcess({ ...options, port: server.port }, server);
  }

  get url(): string {
    return this.server.url();
  }

  get port(): number {
    return this.server.port;
  }

  get pid(): number {
    return this.server.pid;
  }

  get output(): string {
    return readFileSync(join(this.server.folder, 'postgres.log'), 'utf8');
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    try {
      process.kill(this.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async stop(): Promise<void> {
    this.watch?.stdin?.end();
    this.watch = undefined;
    await this.server.stop();
  }

  async start(): Promise<void> {
    this.server = await EmbeddedServer.start(this.options);
    if (!this.watch) this.watchOwner();
  }

  private watchOwner(): void {
    const data = join(this.server.folder, 'pgdata');
    const watch = spawn('/bin/sh', ['-c', WATCH, data], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    watch.on('error', () => {});
    watch.stdin.on('error', () => {});
    watch.unref();
    (watch.stdin as Socket).unref();
    this.watch = watch;
  }
}
