import type { IncomingMessage } from 'node:http';
import type { WindowAnswer } from '#libs/counters';
import type { Span } from '#libs/platform';
import type { KeyEntry } from '../facts/caller.js';
import type { Lease } from '../lease/lease.js';
import type { ApiRoute } from '../listener/api-routes.js';
import type { LookupCall } from '../upstream/lookup-call.js';
import type { ApiResponse } from './api-response.js';
import { newRequestId } from './request-id.js';

/** One request on its way through the numbered steps, with what each step has found out. */
export class Exchange {
  readonly requestId = newRequestId();
  /** The parameters of the query in their order, decoded; the key is not among them. */
  readonly names: string[] = [];
  readonly values: string[] = [];
  apiKey = '';
  caller?: KeyEntry;
  rate?: WindowAnswer;
  rateLimit = 0;
  /** True while it counts towards its class's concurrency. */
  isInClass = false;
  /** What lookup is asked: the path with the normalised query. Also what a repeat is recognised by. */
  question = '';
  /** The domain name as it was given, for the request log. */
  subject = '';
  isFresh = false;
  isRepeat = false;
  /** UTC day to which the key's daily cap counts the cost. */
  capDay = 0;
  lease?: Lease;
  /** Credits reserved on the lease. */
  cost = 0;
  isOver = false;
  /** Only while this request is traced. */
  span?: Span = undefined;
  /** The exchange before it on a socket whose client does not wait for answers. */
  earlier?: Exchange;
  /** The call to lookup, which ends when the client goes. */
  upstreamCall?: LookupCall;

  /** @param startedMs monotonic milliseconds. */
  constructor(
    readonly request: IncomingMessage,
    readonly response: ApiResponse,
    readonly route: ApiRoute,
    readonly startedMs: number,
  ) {}
}
