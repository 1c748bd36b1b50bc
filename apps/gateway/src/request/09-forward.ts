import { type Dispatcher, Pool, errors } from 'undici';
import { type Problem, type ServiceTokens, ServiceUnavailable } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import { AnswerTimeout } from './request.errors.js';

export interface UpstreamOptions {
  /** `http://host:port` of lookup's internal listener. */
  url: string;
  /** Its Unix socket, when it runs on the same machine. */
  socketPath?: string;
  tokens: ServiceTokens;
  /** Longest wait for the first and between two bytes of an answer, in milliseconds. */
  timeoutMs: number;
}

/** What lookup answered. The body is as it came, byte for byte. */
export interface UpstreamAnswer {
  status: number;
  outcome: string;
  servedFrom: string;
  age?: string;
  body: Buffer;
}

const CONNECTIONS = 128;
const BODY_MAX_BYTES = 4 * 1024 * 1024;

const answerTimeout = new AnswerTimeout();

/**
 * Step 9: asks lookup, over TCP or a Unix socket. One try: a second one could be charged twice by the
 * registry's limits. When the client goes, the call is ended.
 */
export class Upstream {
  private readonly pool: Pool;

  constructor(private readonly options: UpstreamOptions) {
    this.pool = new Pool(options.url, {
      ...(options.socketPath && { socketPath: options.socketPath }),
      connections: CONNECTIONS,
      pipelining: 1,
      connectTimeout: 1_000,
      keepAliveTimeout: 30_000,
      headersTimeout: options.timeoutMs,
      bodyTimeout: options.timeoutMs,
      maxResponseSize: BODY_MAX_BYTES,
    });
  }

  /** Calls back once, with the answer or with 503 or 504; not at all when the exchange was aborted. */
  ask(exchange: Exchange, done: (answer: UpstreamAnswer | Problem) => void): void {
    const headers = [
      'authorization',
      `Bearer ${this.options.tokens.issue('gateway', 'lookup')}`,
      'x-request-id',
      exchange.requestId,
    ];
    if (exchange.isRepeat) headers.push('x-repeat', '1');
    if (exchange.span !== undefined) headers.push('traceparent', exchange.span.traceparent);
    this.pool.dispatch(
      { method: 'GET', path: exchange.question, headers },
      new Call(exchange, done) as unknown as Dispatcher.DispatchHandler,
    );
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}

/** One call. The callbacks are undici's first handler interface, which its client speaks without wrapping. */
class Call {
  private status = 0;
  private outcome = '';
  private servedFrom = '';
  private age?: string;
  private first?: Buffer;
  private rest?: Buffer[];

  constructor(
    private readonly exchange: Exchange,
    private readonly done: (answer: UpstreamAnswer | Problem) => void,
  ) {}

  onConnect(abort: () => void): void {
    if (this.exchange.isOver) abort();
    else this.exchange.abortUpstream = abort;
  }

  onHeaders(status: number, rawHeaders: Buffer[]): boolean {
    this.status = status;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = rawHeaders[i];
      // Lengths first: a string is made of the headers that matter only.
      if (name.length !== 9 && name.length !== 13 && name.length !== 3) continue;
      const text = name.toString('latin1').toLowerCase();
      if (text === 'x-outcome') this.outcome = rawHeaders[i + 1].toString('latin1');
      else if (text === 'x-served-from') this.servedFrom = rawHeaders[i + 1].toString('latin1');
      else if (text === 'age') this.age = rawHeaders[i + 1].toString('latin1');
    }
    return true;
  }

  onData(chunk: Buffer): boolean {
    if (this.first === undefined) this.first = chunk;
    else (this.rest ??= [this.first]).push(chunk);
    return true;
  }

  onComplete(): void {
    if (this.exchange.isOver) return;
    const { status, outcome, servedFrom, age } = this;
    const body = this.rest ? Buffer.concat(this.rest) : (this.first ?? Buffer.alloc(0));
    this.done({ status, outcome, servedFrom, age, body });
  }

  onError(error: Error): void {
    if (this.exchange.isOver) return;
    const isLate =
      error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
    this.done(isLate ? answerTimeout : new ServiceUnavailable('lookup', error));
  }
}
