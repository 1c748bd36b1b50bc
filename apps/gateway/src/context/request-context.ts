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
import type { OwnQuestion } from './own-question.js';
import type { LookupCall } from './lookup-call.js';
import type { ApiRoute } from '../routes/api-route.js';

/** A request as the numbered steps see it, whether it was parsed by us or by Node. */
export interface ApiRequest {
  /** Names and values of the headers alternate. */
  readonly rawHeaders: readonly string[];
  readonly socket: Socket;
}

/** The destination of an answer. */
export interface Reply {
  /**
   * Sends headers and body; `Date`, `Connection` and `Content-Length` are added to the headers.
   * @param lines further header lines, each with its CRLF; they must contain no unchecked input.
   * @param body with one character per byte.
   */
  sendWhole(status: number, lines: string, body: string): void;
  /** Like `sendWhole`, with bytes before the rest of the body; if this method is missing, they are sent as text. */
  sendInPlace?(status: number, lines: string, before: BytesInPlace, rest: string): void;
  /** Like `sendWhole`, and closes the connection. */
  sendLast(status: number, lines: string, body: string): void;
}

/** One request in the numbered steps, with the results of each step. */
export class RequestContext {
  readonly requestId = newRequestId();
  /** The decoded parameters of path and query in their order, without the key. */
  readonly names: string[] = [];
  readonly values: string[] = [];
  /** The parameters as read by step 6. */
  input?: ReadInput = undefined;
  /** The validated body of an operation that takes one. */
  body?: object = undefined;
  /** The format of the answer that the client accepts. */
  form: AnswerForm;
  apiKey = '';
  /** The request of a session; it replaces the key for a request from the dashboard. */
  ownQuestion?: OwnQuestion = undefined;
  caller?: KeyEntry;
  rate?: RateLimitResult;
  rateLimit = 0;
  /** True while the request counts towards its class's concurrency limit. */
  isInClass = false;
  /** The owner's path with the normalised query, which also identifies repeats. */
  question = '';
  /** The subject of the request as given, for the request log. */
  subject = '';
  isFresh = false;
  isRepeat = false;
  /** The UTC day in which the key's daily cap counts the cost. */
  capDay = 0;
  lease?: Lease;
  /** The hold, which replaces the lease for a request about several items. */
  hold?: RequestHold = undefined;
  /** The maximum price of the answer, and the price of one answer, item or page. */
  price = 0;
  eachPrice = 0;
  /** Credits for the lines of a streamed answer that have been sent so far. */
  streamedCredits = 0;
  /** The stored request, if its answer is stored under its `Idempotency-Key`. */
  keyed?: KeyedRequest = undefined;
  /** True once the complete answer is being stored. A repeat can get the answer even if the client has disconnected. */
  isKept = false;
  /** The lines sent so far of a stored stream, each with its mark. */
  sentLines = '';
  /** Credits reserved on the lease or the hold. */
  cost = 0;
  isOver = false;
  /** Whether the request counts as in flight; a download no longer counts once it has begun. */
  isInFlight = true;
  /** The upload or download that has begun. */
  transfer?: Transfer = undefined;
  /** Further header lines for the rejection of the request. */
  refusalLines = '';
  /** The span, only while this request is traced. */
  span?: Span = undefined;
  /** The previous context on the socket, if the client does not wait for answers. */
  earlier?: RequestContext;
  /** The call to the owner, which ends if the client disconnects. */
  lookupCall?: LookupCall;
  serviceCall?: AbortController = undefined;

  /** @param startedMs monotonic milliseconds. */
  constructor(
    readonly request: ApiRequest,
    readonly reply: Reply,
    public route: ApiRoute,
    readonly startedMs: number,
  ) {
    this.form = route.operation.answers[0];
  }

  /** The status of a successful answer: 202 if work continues after it, 200 for a dry run. */
  get answerStatus(): number {
    const status = this.form.type === 'application/json' ? this.form.status : undefined;
    if (status === undefined) return 200;
    return this.input?.texts[this.route.dryRunPlace] === 'true' ? 200 : status;
  }
}
