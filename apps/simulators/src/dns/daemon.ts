import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '#libs/platform';

/**
 * The arguments of a shell that also looks for a program in `/usr/sbin`, where Debian installs name servers and which
 * only root has in its `PATH`.
 */
const SHELL = ['-c', 'PATH="$PATH:/usr/sbin"; exec "$0" "$@"'];
const START_MAX_MS = 60_000;
const POLL_MS = 10;
const CRASHES_MAX = 3;

export interface Endpoint {
  address: string;
  port: number;
}

/**
 * Runs a program until it ends.
 * @returns its output, trimmed.
 * @throws Error with its error output if it fails.
 */
export function runProgram(program: string, words: readonly string[], folder: string): string {
  const done = spawnSync('sh', [...SHELL, program, ...words], { cwd: folder });
  if (done.status !== 0) throw new Error(`${program}: ${done.stderr.toString()}`);
  return done.stdout.toString().trim();
}

export function missingPrograms(programs: readonly string[]): string[] {
  return programs.filter((program) => spawnSync('sh', [...SHELL, 'which', program]).status !== 0);
}

/** A server in its own process. After a crash, it is started again, up to three times: NSD crashes now and then. */
export class Daemon {
  private process: ChildProcess;
  private said = '';
  private crashes = 0;
  private isStopped = false;

  private constructor(
    private readonly program: string,
    private readonly words: readonly string[],
  ) {
    this.launch();
  }

  /**
   * Starts the server in the foreground and waits until it listens. @throws Error if it exits, or is not ready within a
   * minute.
   */
  static async start(program: string, words: string[], endpoint: Endpoint): Promise<Daemon> {
    const daemon = new Daemon(program, words);
    const untilMs = monotonicMs() + START_MAX_MS;
    while (!(await isListening(endpoint))) {
      if (daemon.hasEnded || monotonicMs() > untilMs) {
        await daemon.stop();
        throw new Error(`${program} does not listen: ${daemon.said}`);
      }
      await sleep(POLL_MS);
    }
    return daemon;
  }

  get pid(): number {
    return this.process.pid!;
  }

  /** Kills the server, which has no state to save. */
  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.hasEnded) return;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await ended;
  }

  private get hasEnded(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  private launch(): void {
    this.process = spawn('sh', [...SHELL, this.program, ...this.words], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.process.stderr!.on('data', (chunk: Buffer) => {
      this.said = `${this.said}${chunk}`.slice(-2_000);
    });
    this.process.once('exit', (_code, signal) => {
      const hasCrashed = signal === 'SIGSEGV' || signal === 'SIGABRT';
      if (hasCrashed && !this.isStopped && this.crashes++ < CRASHES_MAX) this.launch();
    });
  }
}

function isListening({ address, port }: Endpoint): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address, () => end(true));
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('error', () => end(false));
  });
}
