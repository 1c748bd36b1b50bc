import { Worker } from 'node:worker_threads';
import type { NumberContext, NumberReading } from '../networks/number-reading.js';
import type { RdapContext } from '../rdap/rdap-answer.js';
import type { ParseContext, ParseResult } from '../whois/parse/parse-whois.js';

/** A text for the thread, with the query that led to it. */
export type ParserQuestion =
  | { protocol: 'whois43'; text: string; context: ParseContext }
  | { protocol: 'rdap'; text: string; context: RdapContext }
  | { protocol: 'number'; text: string; context: NumberContext };

export type ParserResult = ParseResult | NumberReading;

export interface ParserWorkerOptions {
  script?: URL;
  /** The time limit in milliseconds, 1 s by default; a parse that exceeds it is killed. */
  timeoutMs?: number;
  /** Maximum number of waiting texts, 2,000 by default; for any further text, the result is `parse_failed` at once. */
  waitingMax?: number;
  /** The maximum size of the thread's old heap in MiB, 64 by default. */
  heapMb?: number;
}

interface Job {
  question: ParserQuestion;
  settle: (result: ParserResult) => void;
}

type Message = { isReady: true } | { result: ParserResult };

const START_TIMEOUT_MS = 10_000;
/**
 * The maximum number of texts that the thread has been given. With several, it need not wait for this process between
 * them.
 */
const IN_HAND_MAX = 16;
/** A timeout is counted in this many parts, so that a pause of the whole process counts as only one of them. */
const TIMEOUT_PARTS = 10;
const FAILED = { outcome: 'parse_failed' } as const;

/**
 * Parses port-43 and RDAP answers one after another, in a thread with a small heap and a kill timer. Whatever a server
 * sends, the calling process survives. A parse that is killed, or that crashes the thread, yields `parse_failed`; the
 * following parses get a new thread.
 */
export class ParserWorker {
  private readonly script: URL;
  private readonly timeoutMs: number;
  private readonly waitingMax: number;
  private readonly heapMb: number;
  private readonly waiting: Job[] = [];
  /** The texts passed to the thread, which is parsing the first of them. */
  private readonly inHand: Job[] = [];
  private thread?: Worker;
  private isReady = false;
  private isClosed = false;
  private timer?: NodeJS.Timeout;

  constructor(options: ParserWorkerOptions = {}) {
    this.script = options.script ?? new URL('./parser-thread.js', import.meta.url);
    this.timeoutMs = options.timeoutMs ?? 1_000;
    this.waitingMax = options.waitingMax ?? 2_000;
    this.heapMb = options.heapMb ?? 64;
  }

  /** Like `parseWhois`. Never rejects: a full queue and a closed worker also yield `parse_failed`. */
  parse(text: string, context: ParseContext): Promise<ParseResult> {
    return this.ask<ParseResult>({ protocol: 'whois43', text, context });
  }

  /** Like `readRdapAnswer`, with the guarantees of `parse`. */
  parseRdap(text: string, context: RdapContext): Promise<ParseResult> {
    return this.ask<ParseResult>({ protocol: 'rdap', text, context });
  }

  /** Like `readNumberAnswer`, with the guarantees of `parse`. */
  parseNumber(text: string, context: NumberContext): Promise<NumberReading> {
    return this.ask<NumberReading>({ protocol: 'number', text, context });
  }

  /** Ends the thread; the result of running and waiting parses is `parse_failed`. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { thread } = this;
    this.forget();
    for (const job of this.waiting.splice(0)) job.settle(FAILED);
    await thread?.terminate();
  }

  /** Queues a text. The caller names the result type of the protocol's parser, which the thread runs. */
  private ask<Result extends ParserResult>(question: ParserQuestion): Promise<Result> {
    return new Promise((resolve) => {
      const settle = (result: ParserResult) => resolve(result as Result);
      if (this.isClosed || this.waiting.length >= this.waitingMax) return settle(FAILED);
      this.waiting.push({ question, settle });
      this.next();
    });
  }

  private next(): void {
    if (this.waiting.length === 0 || this.isClosed) return;
    if (this.thread === undefined) this.start();
    while (this.isReady && this.waiting.length > 0 && this.inHand.length < IN_HAND_MAX) {
      const job = this.waiting.shift()!;
      if (this.inHand.push(job) === 1) this.arm(this.timeoutMs);
      this.thread?.postMessage(job.question);
    }
  }

  /** Starts the thread, without environment variables. It does not keep the process alive. */
  private start(): void {
    const thread = new Worker(this.script, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: this.heapMb, maxYoungGenerationSizeMb: 8 },
    });
    this.thread = thread;
    this.arm(START_TIMEOUT_MS);
    thread.on('message', (message: Message) => this.receive(thread, message));
    thread.on('error', () => this.lose(thread));
    thread.on('exit', () => this.lose(thread));
    thread.unref();
  }

  private receive(thread: Worker, message: Message): void {
    if (thread !== this.thread) return;
    clearTimeout(this.timer);
    if ('isReady' in message) this.isReady = true;
    else this.inHand.shift()?.settle(message.result);
    if (this.inHand.length > 0) this.arm(this.timeoutMs);
    this.next();
  }

  private arm(timeoutMs: number, parts = TIMEOUT_PARTS): void {
    clearTimeout(this.timer);
    const { thread } = this;
    this.timer = setTimeout(() => {
      if (parts > 1) {
        this.arm(timeoutMs, parts - 1);
        return;
      }
      if (thread === undefined) return;
      this.lose(thread);
      void thread.terminate();
    }, timeoutMs / TIMEOUT_PARTS);
  }

  /**
   * Handles the end of a thread. The parse that was running fails; if the thread had not started, the first waiting
   * parse fails.
   */
  private lose(thread: Worker): void {
    if (thread !== this.thread) return;
    const lost = this.inHand.shift() ?? (this.isReady ? undefined : this.waiting.shift());
    this.waiting.unshift(...this.inHand.splice(0));
    this.forget();
    lost?.settle(FAILED);
    this.next();
  }

  private forget(): void {
    clearTimeout(this.timer);
    for (const job of this.inHand.splice(0)) job.settle(FAILED);
    this.thread = undefined;
    this.isReady = false;
  }
}
