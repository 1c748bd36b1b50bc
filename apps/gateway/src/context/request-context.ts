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

/** A request as the numbered steps see it, whether we or Node have parsed it. */
export interface ApiRequest {
  /** Names and values of the headers in turn. */
  readonly rawHeaders: readonly string[];
  readonly socket: Socket;
}

/** The destination of an answer. */
export interface Reply {
  /**
   * Sends headers and body; `Date`, `Connection` and `Content-Length` are added to the headers.
   * @param lines further header lines, each with its CRLF. Nothing in them may come from outside
   *   without having been checked.
   * @param body a character a byte.
   */
  sendWhole(status: number, lines: string, body: string): void;
  /** Like `sendWhole`, with bytes before the rest of the body; if it is missing, they are sent as text. */
  sendInPlace?(status: number, lines: string, before: BytesInPlace, rest: string): void;
  /** Like `sendWhole`, and closes the connection. */
  sendLast(status: number, lines: string, body: string): void;
}

/** One request in the numbered steps, with what each step has found out. */
export class RequestContext {
  readonly requestId = newRequestId();
  /** The parameters of path and query in their order, decoded; the key is not among them. */
  readonly names: string[] = [];
  readonly values: string[] = [];
  /** The parameters as step 6 has read them. */
  input?: ReadInput = undefined;
  /** The validated body, of an operation that has one. */
  body?: object = undefined;
  /** The form of the answer that the client takes. */
  form: AnswerForm;
  apiKey = '';
  /** In place of a key, for a request from the dashboard. */
  ownQuestion?: OwnQuestion = undefined;
  caller?: KeyEntry;
  rate?: RateLimitResult;
  rateLimit = 0;
  /** True while it counts towards its class's concurrency. */
  isInClass = false;
  /** The owner's path with the normalised query. Repeats are recognised by it, too. */
  question = '';
  /** The subject of the question as it was given, for the request log. */
  subject = '';
  isFresh = false;
  isRepeat = false;
  /** UTC day to which the key's daily cap counts the cost. */
  capDay = 0;
  lease?: Lease;
  /** In place of a lease, for a request about several items. */
  hold?: RequestHold = undefined;
  /** The maximum price of the answer, and the price of one answer, item or page of it. */
  price = 0;
  eachPrice = 0;
  /** Credits for the lines that have been sent so far, of an answer that is streamed. */
  streamedCredits = 0;
  /** Set for a request whose answer is kept under its `Idempotency-Key`. */
  keyed?: KeyedRequest = undefined;
  /** Set once its whole answer is being kept: whether its client waits or not, a repeat can have it. */
  isKept = false;
  /** The lines sent so far of a stream that is kept, each with its mark. */
  sentLines = '';
  /** Credits reserved on the lease or the hold. */
  cost = 0;
  isOver = false;
  /** Counted as in flight; a download is not, once it has begun. */
  isInFlight = true;
  /** Set for an upload or a download, once it has begun. */
  transfer?: Transfer = undefined;
  /** Further header lines of its refusal. */
  refusalLines = '';
  /** Set only while this request is traced. */
  span?: Span = undefined;
  /** The context before it on a socket whose client does not wait for answers. */
  earlier?: RequestContext;
  /** The call to the owner, which ends when the client goes. */
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

  /** Status of an answer that is no refusal: 202 where work continues after it, 200 of a dry run. */
  get answerStatus(): number {
    const status = this.form.type === 'application/json' ? this.form.status : undefined;
    if (status === undefined) return 200;
    return this.input?.texts[this.route.dryRunPlace] === 'true' ? 200 : status;
  }
}
