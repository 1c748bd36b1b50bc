import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { CrashPoint, ServiceTokens } from '#libs/platform';
import { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import type { AccountFate } from '../account-fate.js';
import type { ChildSettings, Errand } from './billing-child.js';

const run = promisify(execFile);
const CHILD = new URL('./billing-child.js', import.meta.url).pathname;
/** A limit, so that the test does not wait forever for a kill that never happens. */
const LIMIT_MS = 30_000;
const EXIT_MS = 3_000;

export interface ProcessAnswer {
  /** The HTTP status; 0 if there was no answer. */
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

/** Billing in its own process, which can be killed at any point and restarted. */
export class BillingProcess {
  private readonly process: ServiceProcess;

  constructor(
    settings: ChildSettings,
    folder: string,
    private readonly tokens: ServiceTokens,
  ) {
    this.process = new ServiceProcess({
      name: 'billing',
      app: 'billing',
      main: CHILD,
      settings: { BILLING_CHILD: JSON.stringify(settings) },
      logFile: join(folder, 'billing.log'),
    });
  }

  /** Starts it. If a crash point is given, the process kills itself when it reaches that pass of the point. */
  async start(crashAt?: { point: CrashPoint; pass: number }): Promise<void> {
    await this.process.start(crashAt && { CRASH_AT: `${crashAt.point}:${crashAt.pass}` });
  }

  get isAlive(): boolean {
    return this.process.isRunning;
  }

  /** The errors in its log. */
  get errors(): string[] {
    const lines = this.process.output.split('\n');
    return lines.filter((line) => line !== '' && !line.includes('"msg":"billing is up"'));
  }

  /** Its resident memory in mebibytes, and the seconds of processor time it has used. */
  async usage(): Promise<{ residentMb: number; cpuSeconds: number }> {
    const { pid } = this.process;
    const { stdout } = await run('ps', ['-o', 'rss=,time=', '-p', String(pid)]);
    const [kilobytes, time] = stdout.trim().split(/\s+/);
    const cpuSeconds = time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
    return { residentMb: Number(kilobytes) / 1024, cpuSeconds };
  }

  /** @returns whether it has ended. The system may report this a moment after its connections broke. */
  async hasEnded(): Promise<boolean> {
    await Promise.race([this.process.untilEnded(), sleep(EXIT_MS, undefined, { ref: false })]);
    return !this.isAlive;
  }

  /** Kills it without a chance to clean up, as a crash does. */
  async kill(): Promise<void> {
    this.process.kill();
    await this.process.untilEnded();
  }

  /** Calls an internal route. The status is 0 if the process dies during the call. */
  async call(method: string, path: string, call: ProcessCall = {}): Promise<ProcessAnswer> {
    const { body, accountId, caller = 'gateway', headers } = call;
    const isRaw = Buffer.isBuffer(body);
    try {
      const answer = await fetch(`${this.process.url}/internal/${path}`, {
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

  /**
   * Runs a job of billing once.
   * @returns false if the process died meanwhile.
   */
  runJob(name: string): Promise<boolean> {
    return this.ask({ kind: 'job', name });
  }

  /** @returns false if the process died meanwhile. */
  deliver(fate: AccountFate, accountId: string): Promise<boolean> {
    return this.ask({ kind: 'fate', fate, accountId });
  }

  private async ask(errand: Errand): Promise<boolean> {
    if (!this.isAlive) return false;
    const body = JSON.stringify(errand);
    const answer = await fetch(this.process.addresses.errands, { method: 'POST', body }).catch(
      () => undefined,
    );
    if (answer && !answer.ok) throw new Error(await answer.text());
    return answer !== undefined;
  }
}
