import { type Problem, type ServiceTokens, ServiceUnavailable } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import type { OwnerAnswer } from '../context/owner-answer.js';
import { AnswerTimeout } from '#libs/public-http';
import type { LookupCall } from '../context/lookup-call.js';
import type { LookupConnection } from './lookup-connection.js';
import { LookupPool, type LookupPoolOptions } from './lookup-pool.js';
import { AnswerLate } from './lookup.errors.js';

export interface LookupForwarderOptions extends LookupPoolOptions {
  tokens: ServiceTokens;
}

type OnAnswer = (context: RequestContext, answer: OwnerAnswer | Problem) => void;

const answerTimeout = new AnswerTimeout();

/** Calls lookup over our own connections, by TCP or a Unix socket. If the client disconnects, the call is aborted. */
export class LookupForwarder {
  private readonly pool: LookupPool;
  private readonly host: string;
  private token = '';
  /** The part of the request between its path and its id, rebuilt for each token. */
  private fixedPart = '';

  constructor(private readonly options: LookupForwarderOptions) {
    this.pool = new LookupPool(options);
    this.host = new URL(options.url).host;
  }

  /** Calls back once, with the answer, 503 or 504; never, if the request ends first. */
  ask(context: RequestContext, onAnswer: OnAnswer): void {
    const call = new Call(context, this.requestOf(context), onAnswer);
    context.lookupCall = call;
    this.pool.ask(call);
  }

  close(): void {
    this.pool.close();
  }

  /**
   * Builds the request to lookup. Path and query are ASCII without spaces or control characters, because step 6 has
   * encoded all other characters.
   */
  private requestOf({ question, requestId, isRepeat, caller, span }: RequestContext): string {
    const token = this.options.tokens.issue('gateway', 'lookup');
    if (token !== this.token) {
      this.token = token;
      this.fixedPart = ` HTTP/1.1\r\nHost: ${this.host}\r\nAuthorization: Bearer ${token}\r\nX-Request-Id: `;
    }
    const repeat = isRepeat ? '\r\nX-Repeat: 1' : '';
    // Lookup divides the rate limits of registries among the accounts.
    const asker = caller === undefined ? '' : `\r\nX-Account-Id: ${caller.account.id}`;
    const trace = span === undefined ? '' : `\r\nTraceparent: ${span.traceparent}`;
    return `GET ${question}${this.fixedPart}${requestId}${asker}${repeat}${trace}\r\n\r\n`;
  }
}

class Call implements LookupCall {
  connection?: LookupConnection = undefined;
  waitedTicks = 0;

  constructor(
    private readonly context: RequestContext,
    readonly request: string,
    private readonly done: OnAnswer,
  ) {}

  get isAbandoned(): boolean {
    return this.context.isOver;
  }

  onAnswer(answer: OwnerAnswer): void {
    if (!this.context.isOver) this.done(this.context, answer);
  }

  onFault(fault: Error): void {
    if (this.context.isOver) return;
    const isLate = fault instanceof AnswerLate;
    this.done(this.context, isLate ? answerTimeout : new ServiceUnavailable('lookup', fault));
  }
}
