import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { waitFor } from '../wait.js';

const START_LIMIT_MS = 240_000;
const STOP_LIMIT_MS = 20_000;

/**
 * A shell script that replaces itself with the server, so that the server's process id is known. It leaves a watcher
 * that kills the server when our end of the pipe is closed, so that no server outlives a killed owner. Before it kills
 * the server, the watcher checks which program has the process id.
 */
const LAUNCHER = `
exec 3<&0 </dev/null
( cat <&3 >/dev/null
  case "$(ps -ww -o args= -p $$)" in *"$0"*) kill -9 $$ ;; esac ) >/dev/null 2>&1 &
exec 3<&-
exec "$@"`;

/** A server that ends with this process, in its own session, so that its clients can drain first on Ctrl-C. */
export abstract class OwnedServer {
  /** Always empty, because the server's log is in its folder. */
  readonly output = '';
  abstract readonly name: string;
  private child?: ChildProcess;

  protected constructor(protected readonly folder: string) {}

  abstract get url(): string;

  get pid(): number {
    return this.child?.pid as number;
  }

  isRunning(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Starts the server at the same address if it is not running. @throws Error if it ends, or has not started after four
   * minutes.
   */
  async start(): Promise<void> {
    if (this.isRunning()) return;
    const command = this.command();
    const child = spawn('/bin/sh', ['-c', LAUNCHER, command[0], ...command], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: this.folder,
    });
    child.once('error', () => {});
    child.once('exit', () => child.stdin.destroy());
    child.stdin.once('error', () => {});
    this.child = child;
    const isUp = () => {
      if (!this.isRunning())
        throw new Error(`${this.name} has ended; its log is in ${this.folder}`);
      return this.answers();
    };
    try {
      await waitFor(`${this.name} in ${this.folder} to answer`, isUp, START_LIMIT_MS);
    } catch (error) {
      await this.stop();
      throw error;
    }
    // Detaches the child and the pipe, so that they no longer keep the owner alive. When the owner ends, the pipe is
    // closed.
    child.unref();
    (child.stdin as Socket).unref();
  }

  /** Sends a signal only to the child process that was started here: SIGSTOP suspends it, and SIGCONT resumes it. */
  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.isRunning()) this.child?.kill(signal);
  }

  /** Shuts the server down cleanly, or kills it after 20 s. */
  async stop(): Promise<void> {
    this.kill('SIGTERM');
    // A suspended process would not handle the signal.
    this.kill('SIGCONT');
    const limit = setTimeout(() => this.kill('SIGKILL'), STOP_LIMIT_MS);
    if (this.child && this.isRunning()) await once(this.child, 'exit');
    clearTimeout(limit);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  protected abstract command(): string[];

  protected abstract answers(): Promise<boolean>;
}
