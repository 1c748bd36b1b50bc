import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Readiness, SECOND_MS } from '#libs/platform';
import type {
  ThreadAnswers,
  ThreadData,
  ThreadMessage,
  ThreadQuestion,
} from './thread-messages.js';

const START_TIMEOUT_MS = 60_000;
const EXIT_TIMEOUT_MS = 2_000;
const PROBE_TIMEOUT_MS = SECOND_MS;
const ENTRY = new URL('./gateway-thread.js', import.meta.url);

/** One worker thread as the main thread sees it. */
export class RunningThread {
  readonly number: number;
  apiUrl = '';
  dashboardUrl = '';
  private readonly worker: Worker;
  private readonly up = Promise.withResolvers<void>();
  private readonly waiting = new Map<number, PromiseWithResolvers<never>>();
  private questions = 0;
  private probed?: Promise<Readiness>;
  private hasEnded = false;

  /** @param onDeath called at most once: it ended, or says that it cannot go on. */
  constructor(
    data: ThreadData,
    private readonly onDeath: (error: Error) => void,
  ) {
    this.number = data.share.number;
    this.worker = new Worker(ENTRY, { workerData: data });
    this.worker.on('message', (message: ThreadMessage) => this.hear(message));
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('exit', (code) => {
      this.hasEnded = true;
      this.end(new Error(`it ended with code ${code}`));
    });
  }

  /** Resolves when it answers requests. @throws why it cannot. */
  async started(): Promise<void> {
    const limit = new AbortController();
    const late = sleep(START_TIMEOUT_MS, undefined, { signal: limit.signal }).then(() => {
      throw new Error(`thread ${this.number} was not up in time`);
    });
    await Promise.race([this.up.promise, late]).finally(() => {
      limit.abort();
      late.catch(() => {});
    });
  }

  /** @throws when it has ended, does not answer in time, or fails. */
  async ask<Q extends keyof ThreadAnswers>(
    question: Q,
    timeoutMs: number,
  ): Promise<ThreadAnswers[Q]> {
    if (this.hasEnded) throw new Error(`thread ${this.number} has ended`);
    const id = this.questions++;
    const waiter = Promise.withResolvers<never>();
    this.waiting.set(id, waiter);
    const timer = setTimeout(() => {
      waiter.reject(new Error(`thread ${this.number} does not answer`));
    }, timeoutMs);
    this.worker.postMessage({ id, question } satisfies ThreadQuestion);
    try {
      return await waiter.promise;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }

  /** What its gateway says; the checks of one probe share the answer. */
  async readiness(): Promise<Readiness> {
    this.probed ??= this.ask('readiness', PROBE_TIMEOUT_MS).finally(
      () => (this.probed = undefined),
    );
    return this.probed;
  }

  /** Waits until a drained thread has ended; one that has not by then is ended. */
  async close(): Promise<void> {
    if (this.hasEnded) return;
    const exited = once(this.worker, 'exit');
    await Promise.race([exited, sleep(EXIT_TIMEOUT_MS, undefined, { ref: false })]);
    if (!this.hasEnded) await this.worker.terminate();
  }

  private hear(message: ThreadMessage): void {
    if (message.kind === 'failed') return this.end(new Error(message.reason));
    if (message.kind === 'up') {
      ({ apiUrl: this.apiUrl, dashboardUrl: this.dashboardUrl } = message);
      return this.up.resolve();
    }
    const waiter = this.waiting.get(message.id);
    if (message.fault === undefined) waiter?.resolve(message.answer as never);
    else waiter?.reject(new Error(`thread ${this.number}: ${message.fault}`));
  }

  private end(reason: Error): void {
    const error = new Error(`thread ${this.number}: ${reason.message}`, { cause: reason });
    this.up.reject(error);
    this.up.promise.catch(() => {});
    if (this.hasEnded) for (const waiter of this.waiting.values()) waiter.reject(error as never);
    this.onDeath(error);
  }
}
