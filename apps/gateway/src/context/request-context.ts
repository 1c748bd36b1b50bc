import type { Socket } from 'node:net';
import type { AnswerForm, ReadInput } from '#libs/contracts';
import type { RateLimitResult } from '#libs/counters';
import type { Span } from '#libs/platform';
import type { Transfer } from '#libs/public-http';
import { newRequestId } from '#libs/public-http';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { KeyedRequest } from './keyed-request.js';
import type { RequestHold } from '../holds/request-hold.js';
import type { Lease } from '../lease/lease.js';
import type { BytesInPlace } from './owner-answer.js';
import type { CarriedRequest } from './carried-request.js';
import type { LookupCall } from './lookup-call.js';
import type { PathMatch } from '../routes/api-paths.js';
import type { ApiRoute } from '../routes/api-route.js';

/** The request in the form that the numbered steps read, whether Node or a plain connection parsed it. */
export interface ApiRequest {
  /** The headers, as alternating names and values. */
  readonly rawHeaders: readonly string[];
  readonly socket: Socket;
}

/** The response in the form that the numbered steps use. */
export interface Reply {
  /**
   * Sends headers and body, and adds `Date`, `Connection` and `Content-Length`.
   * @param lines further header lines, each with its CRLF; they must contain no unchecked input.
   * @param body the body, with one character per byte.
   */
  sendWhole(status: number, lines: string, body: string): void;
  /**
   * Like `sendWhole`, with bytes that precede the rest of the body. If this method is missing, `sendWhole` gets the
   * bytes as a string.
   */
  sendInPlace?(status: number, lines: string, before: BytesInPlace, rest: string): void;
  /** Like `sendWhole`, but also closes the connection. */
  sendLast(status: number, lines: string, body: string): void;
}

/** One request on its way through the numbered steps, with the result of each step. */
export class RequestContext {
  readonly requestId = newRequestId();
  /** The decoded parameters of the path and the query in the order they were sent, without the key. */
  readonly names: string[] = [];
  readonly values: string[] = [];
  /** The parameters as validated by step 6. */
  input?: ReadInput = undefined;
  body?: object = undefined;
  form: AnswerForm;
  apiKey = '';
  /** Set if another request carries this one. */
  carried?: CarriedRequest = undefined;
  caller?: KeyEntry;
  rate?: RateLimitResult;
  rateLimit = 0;
  /** True while the request counts towards its class's concurrency limit. */
  isInClass = false;
  /** The owner's path with the normalised query. It also identifies repeats. */
  question = '';
  subject = '';
  isFresh = false;
  isRepeat = false;
  /** The UTC day whose cap the cost counts towards. */
  capDay = 0;
  lease?: Lease;
  /** The hold of a request about several items, used instead of the lease. */
  hold?: RequestHold = undefined;
  /** The maximum price of the answer. `eachPrice` is the price of one answer, item or page. */
  price = 0;
  eachPrice = 0;
  /** The credits for the lines of a streamed answer that have been sent so far. */
  streamedCredits = 0;
  /** Set if the answer is stored under an `Idempotency-Key`. */
  keyed?: KeyedRequest = undefined;
  /** True once the complete answer is being stored, so that a repeat can get it even if the client has disconnected. */
  isKept = false;
  /** The lines of a stored stream that have been sent so far, each with its mark. */
  sentLines = '';
  /** Credits reserved on the lease or the hold. */
  cost = 0;
  isOver = false;
  /** Whether the request counts towards the running requests. A download no longer counts once it has begun. */
  isInFlight = true;
  transfer?: Transfer = undefined;
  refusalLines = '';
  span?: Span = undefined;
  /** The context of the previous request on the socket, if the client pipelines requests. */
  earlier?: RequestContext;
  /** The running call to the owner. It is aborted if the client disconnects. */
  lookupCall?: LookupCall;
  serviceCall?: AbortController = undefined;

  /** @param startedMs the monotonic time at which the request started, in milliseconds. */
  constructor(
    readonly request: ApiRequest,
    readonly reply: Reply,
    public route: ApiRoute,
    readonly startedMs: number,
  ) {
    this.form = route.operation.answers[0];
  }

  addPathParameters({ names, values }: PathMatch): void {
    this.names.push(...names);
    this.values.push(...values);
  }

  /**
   * Whether the request continues without its client. Once its answer is stored, it is charged, because a repeat may
   * already have read the answer. Once its owner was called, a change that costs nothing is completed, because the owner
   * may have made it already, and a repeat would make it again.
   */
  get outlivesClient(): boolean {
    const isCalled = this.keyed !== undefined && this.serviceCall !== undefined;
    return this.isKept || (isCalled && this.route.operation.price.per === 'free');
  }

  /** The status of a successful answer: 202 if work continues after the answer, except for a dry run; otherwise 200. */
  get answerStatus(): number {
    const status = this.form.type === 'application/json' ? this.form.status : undefined;
    if (status === undefined) return 200;
    return this.input?.texts[this.route.dryRunPlace] === 'true' ? 200 : status;
  }
}
