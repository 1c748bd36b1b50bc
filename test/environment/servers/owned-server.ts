import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

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

/**
 * A server in its own session, so that its clients can drain first on Ctrl-C. The server ends with the process that
 * started it.
 */
export class OwnedServer {
  private readonly child: ChildProcess;

  /** @param mark a part of the server's command line that identifies the running server in the output of `ps`. */
  constructor(mark: string, command: readonly string[], folder: string) {
    const child = spawn('/bin/sh', ['-c', LAUNCHER, mark, ...command], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: folder,
    });
    child.once('error', () => {});
    child.once('exit', () => child.stdin.destroy());
    child.stdin.once('error', () => {});
    this.child = child;
  }

  get pid(): number {
    return this.child.pid as number;
  }

  isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Sends a signal only to the child process that was started here. */
  kill(signal: NodeJS.Signals): void {
    if (this.isRunning()) this.child.kill(signal);
  }

  /** Shuts the server down cleanly, or kills it after 20 s. */
  async stop(): Promise<void> {
    this.kill('SIGTERM');
    // A suspended process would not handle the signal.
    this.kill('SIGCONT');
    const limit = setTimeout(() => this.kill('SIGKILL'), STOP_LIMIT_MS);
    if (this.isRunning()) await once(this.child, 'exit');
    clearTimeout(limit);
  }

  /**
   * Detaches the child and the pipe from the owner's process, so that they no longer keep it alive. When the owner
   * ends, the pipe is closed.
   */
  unref(): void {
    this.child.unref();
    (this.child.stdin as Socket).unref();
  }
}
