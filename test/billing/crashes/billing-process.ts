import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { CrashPoint, ServiceTokens } from '#libs/platform';
import type { AccountFate } from '../account-fate.js';
import type { ChildSettings, Errand, Report } from './billing-child.js';

const run = promisify(execFile);
const CHILD = new URL('./billing-child.js', import.meta.url).pathname;
/** A limit, so that the test does not wait forever for a kill that never happens. */
const LIMIT_MS = 30_000;
const EXIT_MS = 3_000;

export interface ProcessAnswer {
  /** 0 if there was no answer. */
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of any answer
  body?: any;
}

export interface ProcessCall {
  body?: object | Buffer;
  accountId?: string;
  caller?: 'gateway' | 'cli';
  headers?: Record<string, string>;
}

type Wish = Errand extends infer E ? (E extends unknown ? Omit<E, 'number'> : never) : never;

/** Billing in its own process, which can be killed at any point and restarted. */
export class BillingProcess {
  private child?: ChildProcess;
  private url = '';
  private errands = 0;
  private readonly waiting = new Map<number, (fault?: string) => void>();
  /** The errors in its log. */
  log = '';

  constructor(
    private readonly settings: ChildSettings,
    private readonly tokens: ServiceTokens,
  ) {}

  /** Starts it. If a crash point is given, the process kills itself when it has passed that point so many times. */
  async start(crashAt?: { point: CrashPoint; pass: number }): Promise<void> {
    const child = fork(CHILD, {
      env: {
        ...process.env,
        BILLING_CHILD: JSON.stringify(this.settings),
        CRASH_AT: crashAt ? `${crashAt.point}:${crashAt.pass}` : '',
      },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.child = child;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    child.on('error', () => {});
    child.once('exit', () => {
      for (const settle of this.waiting.values()) settle('the process has ended');
      this.waiting.clear();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('exit', () => reject(new Error(`billing did not start: ${this.log}`)));
      child.on('message', (report: Report) => {
        if ('url' in report) {
          this.url = report.url;
          resolve();
        } else this.waiting.get(report.number)?.(report.fault);
      });
    });
  }

  get isAlive(): boolean {
    return this.child?.exitCode === null && this.child.signalCode === null;
  }

  /** Its resident memory in mebibytes, and the seconds of processor time it has used. */
  async usage(): Promise<{ residentMb: number; cpuSeconds: number }> {
    const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(this.child?.pid)]);
    const [kilobytes, time] = stdout.trim().split(/\s+/);
    const cpuSeconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return { residentMb: Number(kilobytes) / 1024, cpuSeconds };
  }

  /** @returns whether it has ended. The system may report this a moment after its connections broke. */
  async hasEnded(): Promise<boolean> {
    const { child } = this;
    if (!child || !this.isAlive) return true;
    const late = AbortSignal.timeout(EXIT_MS);
    return once(child, 'exit', { signal: late }).then(
      () => true,
      () => false,
    );
  }

  /** Kills it without a chance to clean up, as a crash does. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child || !this.isAlive) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Calls an internal route; 0 if the process dies during the call. */
  async call(method: string, path: string, call: ProcessCall = {}): Promise<ProcessAnswer> {
    const { body, accountId, caller = 'gateway', headers } = call;
    const isRaw = Buffer.isBuffer(body);
    try {
      const answer = await fetch(`${this.url}/internal/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.tokens.issue(caller, 'billing')}`,
          ...(accountId !== undefined && { 'x-account-id': accountId }),
          ...(body && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json' }),
          ...headers,
        },
        body: isRaw ? new Uint8Array(body) : body && JSON.stringify(body),
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch {
      return { status: 0 };
    }
  }

  /** Runs a job of billing once. @returns false when the process died of it. */
  runJob(name: string): Promise<boolean> {
    return this.ask({ kind: 'job', name });
  }

  /** @returns false when the process died of it. */
  deliver(fate: AccountFate, accountId: string): Promise<boolean> {
    return this.ask({ kind: 'fate', fate, accountId });
  }

  private async ask(wish: Wish): Promise<boolean> {
    const { child } = this;
    if (!child || !this.isAlive) return false;
    const number = (this.errands += 1);
    const fault = await new Promise<string | undefined>((resolve) => {
      this.waiting.set(number, resolve);
      // A request during which the process dies is settled by its exit.
      child.send({ ...wish, number }, () => {});
    });
    this.waiting.delete(number);
    if (fault === undefined) return true;
    if (!this.isAlive || fault === 'the process has ended') return false;
    throw new Error(fault);
  }
}
