import { type Problem, type ServiceTokens, ServiceUnavailable } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import type { LookupCall, LookupAnswer } from '../lookup/lookup-call.js';
import type { LookupConnection } from '../lookup/lookup-connection.js';
import { LookupPool, type LookupPoolOptions } from '../lookup/lookup-pool.js';
import { AnswerLate } from '../lookup/lookup.errors.js';
import { AnswerTimeout } from './request.errors.js';

export interface LookupForwarderOptions extends LookupPoolOptions {
  tokens: ServiceTokens;
}

type OnAnswer = (exchange: Exchange, answer: LookupAnswer | Problem) => void;

const answerTimeout = new AnswerTimeout();

/**
 * Step 9: asks lookup, over TCP or a Unix socket. One try: a second one could be charged twice by the
 * registry's limits. When the client goes, the call is ended.
 */
export class LookupForwarder {
  private readonly pool: LookupPool;
  private readonly host: string;
  private token = '';
  /** Everything of a request between its question and its id; new with each token. */
  private fixedPart = '';

  constructor(private readonly options: LookupForwarderOptions) {
    this.pool = new LookupPool(options);
    this.host = new URL(options.url).host;
  }

  /** Calls back once, with the answer or with 503 or 504; not at all when the exchange is over first. */
  ask(exchange: Exchange, onAnswer: OnAnswer): void {
    const call = new Call(exchange, this.requestOf(exchange), onAnswer);
    exchange.lookupCall = call;
    this.pool.ask(call);
  }

  close(): void {
    this.pool.close();
  }

  /** The question is ASCII without blanks and control characters: step 7 has encoded what is not. */
  private requestOf({ question, requestId, isRepeat, span }: Exchange): string {
    const token = this.options.tokens.issue('gateway', 'lookup');
    if (token !== this.token) {
      this.token = token;
      this.fixedPart = ` HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${token}\r\nX-Request-Id: `;
    }
    const repeat = isRepeat ? '\r\nX-Repeat: 1' : '';
    const trace = span === undefined ? '' : `\r\nTraceparent: ${span.traceparent}`;
    return `GET ${question}${this.fixedPart}${requestId}${repeat}${trace}\r\n\r\n`;
  }
}

/** The call of one exchange. */
class Call implements LookupCall {
  connection?: LookupConnection = undefined;
  waitedTicks = 0;

  constructor(
    private readonly exchange: Exchange,
    readonly request: string,
    private readonly done: OnAnswer,
  ) {}

  get isAbandoned(): boolean {
    return this.exchange.isOver;
  }

  onAnswer(answer: LookupAnswer): void {
    if (!this.exchange.isOver) this.done(this.exchange, answer);
  }

  onFault(fault: Error): void {
    if (this.exchange.isOver) return;
    const isLate = fault instanceof AnswerLate;
    this.done(this.exchange, isLate ? answerTimeout : new ServiceUnavailable('lookup', fault));
  }
}
