import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Type } from '@nestjs/common';
import type { CrashPoint, Job } from '#libs/platform';
import { FileClock, TestDatabase } from '#test/environment';
import type { BillingConfig } from '../../../apps/billing/src/billing.config.js';
import { ServiceProcess } from '../../../apps/cluster/src/processes/service-process.js';
import type { AccountFate } from '../account-fate.js';
import { type Answer, BillingUnderTest, type Call } from '../billing-under-test.js';
import type { ChildSettings, Errand } from './billing-child.js';

const CHILD = new URL('./billing-child.js', import.meta.url).pathname;
/** The timeout of a call, so that no run waits forever for a kill that never happens. */
const LIMIT_MS = 120_000;
const EXIT_MS = 3_000;

export interface Crash {
  point: CrashPoint;
  pass: number;
}

/** Runs billing in its own process, which can be killed at any crash point and is then restarted. */
export class KillableBilling extends BillingUnderTest {
  deaths = 0;
  /** Whether callers repeat a call that got no answer. */
  isRepeated = false;
  private process: ServiceProcess;
  private read = 0;

  private constructor(
    test: TestDatabase,
    private readonly folder: string,
  ) {
    super(test, FileClock.create(join(folder, 'clock')));
  }

  static override async start(settings: Partial<BillingConfig> = {}): Promise<KillableBilling> {
    const folder = mkdtempSync(join(tmpdir(), 'killable-'));
    const billing = new KillableBilling(await TestDatabase.create(), folder);
    await billing.open(settings);
    return billing;
  }

  /** Kills and starts the process. With `crash`, the new process kills itself at that pass of the crash point. */
  async restart(crash?: Crash): Promise<void> {
    this.process.kill();
    await this.process.untilEnded();
    // Another process takes over the work of a killed process after half a minute of the database's time.
    await this.database.query(`update work set until = clock_timestamp() where state = 'claimed'`);
    await this.process.start(crash && { CRASH_AT: `${crash.point}:${crash.pass}` });
  }

  /** Calls billing. The status is 0 if billing is killed during the call and the caller does not repeat it. */
  override async call(method: 'GET' | 'POST', path: string, call: Call = {}): Promise<Answer> {
    const { body } = call;
    const found = await this.ask(async () => {
      const answer = await fetch(`${this.process.url}/internal/${path}`, {
        method,
        headers: this.headersOf(call),
        ...(body && { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
    });
    return found ?? { status: 0, body: undefined };
  }

  override async runJob({ name }: Type<Job>): Promise<void> {
    await this.run({ kind: 'job', name });
  }

  override async deliver(fate: AccountFate, accountId: string): Promise<void> {
    await this.run({ kind: 'fate', fate, accountId });
  }

  override takeErrors(): string[] {
    const lines = this.process.output.slice(this.read).split('\n');
    this.read = this.process.output.length;
    return lines.filter((line) => line !== '' && !line.includes('"msg":"billing is up"'));
  }

  protected override async serve(config: Partial<BillingConfig>): Promise<void> {
    const settings: ChildSettings = { config, clockFile: join(this.folder, 'clock') };
    this.process = new ServiceProcess({
      name: 'billing',
      app: 'billing',
      main: CHILD,
      settings: { BILLING_CHILD: JSON.stringify(settings) },
      logFile: join(this.folder, 'billing.log'),
    });
    await this.process.start();
  }

  protected override async end(): Promise<void> {
    this.process.kill();
    await this.process.untilEnded();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async run(errand: Errand): Promise<void> {
    await this.ask(async () => {
      const body = JSON.stringify(errand);
      const answer = await fetch(this.process.addresses.errands, { method: 'POST', body });
      if (!answer.ok) throw new Error(await answer.text());
    });
  }

  /**
   * Sends a request. If billing is killed in the meantime, it is restarted and the request is repeated; if callers
   * repeat nothing, undefined is returned.
   */
  private async ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      return await question();
    } catch (error) {
      // The system may report the end of the process a moment after its connections broke.
      await Promise.race([this.process.untilEnded(), sleep(EXIT_MS, undefined, { ref: false })]);
      if (this.process.isRunning) throw error;
      this.deaths += 1;
      await this.restart();
      return this.isRepeated ? question() : undefined;
    }
  }
}
