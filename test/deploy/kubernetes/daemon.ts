import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

const LOG_TAIL_CHARACTERS = 3_000;
const STOP_LIMIT_MS = 10_000;

/** A program that runs until it or its parent is stopped, and whose log is a file. */
export class Daemon {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(
    private readonly name: string,
    private readonly logFile: string,
    path: string,
    args: string[],
  ) {
    const log = openSync(logFile, 'a');
    this.child = spawn('setpriv', ['--pdeathsig', 'KILL', path, ...args], {
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.ended = once(this.child, 'close');
  }

  /** @throws with the end of its log if it has exited by itself. */
  mustRun(): void {
    if (this.isRunning) return;
    const log = readFileSync(this.logFile, 'utf8').slice(-LOG_TAIL_CHARACTERS);
    throw new Error(`${this.name} has ended: ${log}`);
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.ended;
    clearTimeout(timer);
  }

  private get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }
}
