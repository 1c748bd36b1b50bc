import type { BlockList } from 'node:net';
import { PUBLIC_LIMIT } from '#libs/contracts';
import type { RepeatWindow, RateLimiter, RateLimitResult } from '#libs/counters';
import {
  InternalError,
  type Logger,
  Problem,
  crashPoint,
  monotonicMs,
  isTracing,
  startTrace,
  traceIdOf,
} from '#libs/platform';
import {
  ServiceOverloaded,
  type TransferEnd,
  TransferRefusal,
  type Transfers,
  headerLines,
} from '#libs/public-http';
import type { RequestBodies } from '../context/request-body.js';
import { creditsFor } from '../answers/credits-for.js';
import { sendStream } from '../answers/send-stream.js';
import { senderOf } from '../context/client-address.js';
import { transferCall } from '../transfers/transfer-call.js';
import { forgetContext, watchClient } from '../context/open-requests.js';
import type { PathMatch } from '../routes/api-paths.js';
import { type ApiRoute, chosenRoute } from '../routes/api-route.js';
import { type ApiRequest, RequestContext, type Reply } from '../context/request-context.js';
import type { CarriedRequest } from '../context/carried-request.js';
import type { KeyEntry } from '../auth-cache/caller.js';
import type { AuthCache } from '../auth-cache/auth-cache.js';
import { RequestHold } from '../holds/request-hold.js';
import type { RequestHolds } from '../holds/request-holds.js';
import type { KeptAnswers } from '../kept-answers/kept-answers.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';
import type { ClassConcurrency } from '../rate-limits/class-concurrency.js';
import type { LoadShedder } from './01-shed.js';
import type { FailedKeys } from '../auth-cache/failed-keys.js';
import { findKey, readQuery } from './02-find-key.js';
import { knowCaller } from './03-know-caller.js';
import { authorise } from './04-authorise.js';
import {
  countAddress,
  countRequest,
  enterClass,
  forgetOurOutage,
  limitRate,
} from './05-limit-rate.js';
import { checkFixture, readParameters } from './06-read-parameters.js';
import { findRepeat, reserve } from './07-reserve.js';
import type { Forwarder } from './08-forward.js';
import { type AnswerSettings, problemOf, sendAnswer, sendProblem } from './09-answer.js';
import type { RequestRecorder } from './10-record.js';
import type { OwnerAnswer } from '../context/owner-answer.js';

export interface RequestPathParts {
  shedder: LoadShedder;
  failedKeys: FailedKeys;
  authCache: AuthCache;
  rateLimiter: RateLimiter;
  concurrency: ClassConcurrency;
  repeatWindow: RepeatWindow;
  leases: LeaseClient;
  holds: RequestHolds;
  caps: DailyCaps;
  forwarder: Forwarder;
  recorder: RequestRecorder;
  keptAnswers: KeptAnswers;
  transfers: Transfers;
  answers: AnswerSettings;
  requestBodies: RequestBodies;
  trustedProxies: BlockList;
  logger: Logger;
}

const CLIENT_GONE = 499;
const serviceOverloaded = new ServiceOverloaded();

/**
 * Runs an API request through the numbered steps of `request/`. A step whose data is in memory continues at once, so
 * the whole path usually runs in one event-loop turn. The steps are fields that call one another, because closures
 * would create five pieces of garbage per request.
 */
export class RequestPath {
  constructor(private readonly parts: RequestPathParts) {}

  /** Answers a request. @param match set if the path has parameters. */
  handle(
    request: ApiRequest,
    reply: Reply,
    route: ApiRoute,
    query: string,
    match?: PathMatch,
  ): void {
    const context = new RequestContext(request, reply, route, monotonicMs());
    if (match) context.addPathParameters(match);
    this.enter(context, query);
  }

  /** Runs a request that another request carries. */
  ask(context: RequestContext, carried: CarriedRequest): void {
    context.carried = carried;
    if (carried.match) context.addPathParameters(carried.match);
    this.enter(context, carried.query);
  }

  private enter(context: RequestContext, query: string): void {
    const fault = this.begin(context) ?? readQuery(context, query);
    if (fault) return this.refuse(context, fault);
    const { route, carried } = context;
    if (carried?.caller) return this.whenReady(context, carried.caller, this.admit);
    if (route.choice) context.route = chosenRoute(route, context.names, context.values);
    if (route.scope === undefined) return this.admitAnybody(context);
    const refusal = findKey(context);
    if (refusal) return this.refuse(context, refusal);
    const { authCache, failedKeys, trustedProxies } = this.parts;
    const caller = knowCaller(context, authCache, failedKeys, trustedProxies);
    this.whenReady(context, caller, this.admit);
  }

  /** Runs step 1, and registers what must be released when the request ends. */
  private begin(context: RequestContext): Problem | undefined {
    const { shedder } = this.parts;
    const { isOverloaded } = shedder;
    shedder.inFlight++;
    if (isTracing()) {
      const { operation, path } = context.route;
      const name = `${operation.method} ${path}`;
      context.span = startTrace({ service: 'gateway', name, kind: 'server' });
    }
    watchClient(context, this.abort);
    return isOverloaded ? serviceOverloaded : undefined;
  }

  private admitAnybody(context: RequestContext): void {
    const { trustedProxies, rateLimiter } = this.parts;
    context.rateLimit = PUBLIC_LIMIT;
    this.whenReady(context, countAddress(context, trustedProxies, rateLimiter), this.limit);
  }

  private readonly admit = (context: RequestContext, caller: KeyEntry): void => {
    context.caller = caller;
    const refusal = authorise(context, caller, this.parts.trustedProxies);
    if (refusal) return this.refuse(context, refusal);
    context.rateLimit = caller.account.limits[context.route.rateClass!];
    const rate = countRequest(context, caller, this.parts.rateLimiter);
    this.whenReady(context, rate, this.limit);
  };

  private readonly limit = (context: RequestContext, rate: RateLimitResult): void => {
    context.rate = rate;
    const refusal = limitRate(context);
    if (refusal) return this.refuse(context, refusal);
    const { carried, route } = context;
    if (route.operation.body === undefined) return this.read(context, undefined);
    const body = carried ? carried.body : this.parts.requestBodies.read(context);
    this.whenReady(context, body, this.read);
  };

  private readonly read = (context: RequestContext, body: unknown): void => {
    const refusal = enterClass(context, this.parts.concurrency) ?? readParameters(context, body);
    if (refusal) return this.refuse(context, refusal);
    const { caller, route } = context;
    const mismatch = caller && checkFixture(context, caller.isTest);
    if (mismatch) return this.refuse(context, mismatch);
    if (route.kind !== 'answer') return this.transfer(context);
    if (caller === undefined) return this.forward(context, undefined);
    this.whenReady(context, this.parts.keptAnswers.begin(context), this.start);
  };

  /** @param kept the answer to an earlier request with the same `Idempotency-Key`. */
  private readonly start = (context: RequestContext, kept: OwnerAnswer | undefined): void => {
    if (kept) return this.answer(context, kept);
    const isRepeat = findRepeat(context, context.caller!, this.parts.repeatWindow);
    this.whenReady(context, isRepeat, this.reserve);
  };

  private readonly reserve = (context: RequestContext, isRepeat: boolean): void => {
    context.isRepeat = isRepeat;
    const reserved = reserve(context, context.caller!, this.parts);
    if (reserved instanceof Promise) {
      // Credits reserved only after the client disconnected must be released.
      void reserved.then((given) => {
        if (context.isOver && !(given instanceof Problem)) this.giveBack(context, given);
      });
    }
    this.whenReady(context, reserved, this.forward);
  };

  private giveBack({ cost }: RequestContext, given: Lease | RequestHold): void {
    if (given instanceof RequestHold) given.finish(0);
    else this.parts.leases.finish(given, cost, 0);
  }

  private readonly forward = (
    context: RequestContext,
    given: Lease | RequestHold | undefined,
  ): void => {
    if (given instanceof RequestHold) context.hold = given;
    else context.lease = given;
    if (given) crashPoint('gateway.after-reserve');
    this.parts.forwarder.ask(context, this.answer);
  };

  private readonly answer = (context: RequestContext, answer: OwnerAnswer | Problem): void => {
    if (answer instanceof Problem) return this.refuse(context, answer);
    const { status, outcome } = answer.headers;
    if (status !== context.answerStatus) {
      const { service } = context.route.operation.owner;
      return this.refuse(context, problemOf(answer, service), outcome);
    }
    if (!context.keyed || answer.stream) return this.deliver(context, answer);
    context.isKept = true;
    this.whenReady(context, this.parts.keptAnswers.keep(context, answer), this.deliver);
  };

  private readonly deliver = (context: RequestContext, answer: OwnerAnswer): void => {
    const hasClient = context.request.socket.writable;
    // If the client disconnected in this event-loop turn, only a repeat can get the answer, and only if it is stored.
    if (!hasClient && !context.isKept) return this.abort(context);
    crashPoint('gateway.after-lookup-answer');
    if (answer.stream) return void this.stream(context, answer);
    const credits = creditsFor(answer, context);
    this.releaseSlots(context);
    if (hasClient) sendAnswer(context, answer, credits, this.balanceAfter(context, credits));
    crashPoint('gateway.after-answer');
    const { outcome } = answer.headers;
    const status = hasClient ? context.answerStatus : CLIENT_GONE;
    this.parts.recorder.record(context, { status, outcome, credits });
    forgetContext(context);
  };

  private async stream(context: RequestContext, answer: OwnerAnswer): Promise<void> {
    const { recorder, answers } = this.parts;
    const isWhole = await sendStream(context, answer, {
      balanceAfter: (credits) => this.balanceAfter(context, credits),
      untilMs: context.startedMs + answers.streamMs,
    });
    if (context.isOver) return;
    this.releaseSlots(context);
    const outcome = isWhole ? answer.headers.outcome : 'broken_off';
    if (context.keyed) this.settleKey(context, outcome);
    recorder.record(context, { status: 200, outcome, credits: context.streamedCredits });
    forgetContext(context);
  }

  /** Runs an upload or a download. Transfers are free. */
  private transfer(context: RequestContext): void {
    const { route } = context;
    const { transfers, forwarder, shedder, trustedProxies } = this.parts;
    const sender = senderOf(context, trustedProxies);
    const reached = forwarder.transferOf(context);
    const transfer =
      reached instanceof Problem
        ? reached
        : transfers.begin(sender, transferCall(context, reached));
    if (transfer instanceof Problem) return this.refuse(context, transfer);
    context.transfer = transfer;
    // A transfer does not count towards its class's concurrency limit. A drain does not wait for downloads, because a
    // client can request the rest later.
    this.leaveClass(context);
    if (route.kind === 'download') {
      context.isInFlight = false;
      shedder.inFlight--;
    }
    this.whenReady(context, transfer.run(), this.endTransfer);
  }

  private readonly endTransfer = (
    context: RequestContext,
    ended: TransferEnd | TransferRefusal,
  ): void => {
    if (ended instanceof TransferRefusal) {
      context.refusalLines = headerLines(ended.headers);
      return this.refuse(context, ended.problem);
    }
    this.releaseSlots(context);
    const { status, isWhole } = ended;
    const outcome = isWhole ? 'delivered' : 'broken_off';
    this.parts.recorder.record(context, { status, outcome, credits: 0 });
    forgetContext(context);
  };

  private balanceAfter(context: RequestContext, credits: number): number | undefined {
    const remaining = this.remaining(context);
    // The balance no longer includes the parts that were sent earlier.
    const due = credits - (context.hold?.charged ?? 0);
    return remaining === undefined ? undefined : remaining - due;
  }

  private refuse(context: RequestContext, problem: Problem, outcome: string = problem.code): void {
    const { recorder, answers, logger, trustedProxies, rateLimiter } = this.parts;
    this.releaseSlots(context);
    this.parts.keptAnswers.release(context);
    if (problem.status === 503) forgetOurOutage(context, problem, trustedProxies, rateLimiter);
    if (problem.cause !== undefined && problem.status >= 500) {
      const fields = {
        err: problem.cause,
        code: problem.code,
        request_id: context.requestId,
        trace_id: traceIdOf(context.span?.traceparent),
      };
      if (problem.isOfLoad)
        logger.sparsely('warn', problem.message, 'a request was refused', fields);
      else logger.warn('a request was refused', fields);
    }
    sendProblem(context, problem, this.remaining(context), answers);
    const { status, code } = problem;
    recorder.record(context, { status, outcome, credits: 0, code });
    forgetContext(context);
  }

  /**
   * Ends a request whose client disconnected, unless a repeat gets its answer. Parts that were not sent are not charged,
   * and the call to the owner is aborted.
   */
  private readonly abort = (context: RequestContext): void => {
    if (context.outlivesClient) return;
    this.releaseSlots(context);
    const { recorder } = this.parts;
    if (context.keyed) this.settleKey(context, 'broken_off');
    recorder.record(context, {
      status: CLIENT_GONE,
      outcome: 'client_gone',
      credits: context.streamedCredits,
    });
    context.lookupCall?.connection?.destroy();
    context.serviceCall?.abort();
    context.transfer?.stop();
  };

  /** Stores the lines of a stream, or releases its key if it was interrupted before anything was charged. */
  private settleKey(context: RequestContext, outcome: string): void {
    const { keptAnswers } = this.parts;
    const isNothing = outcome === 'broken_off' && context.streamedCredits === 0;
    if (isNothing) keptAnswers.release(context);
    else keptAnswers.keepStream(context, outcome);
  }

  /** Releases the slots of a running request, so that the next request may use them even before the answer is sent. */
  private releaseSlots(context: RequestContext): void {
    const { shedder, transfers } = this.parts;
    context.isOver = true;
    if (context.isInFlight) shedder.inFlight--;
    if (context.transfer) transfers.end(context.transfer);
    this.leaveClass(context);
  }

  private leaveClass(context: RequestContext): void {
    const { isInClass, route, caller } = context;
    if (isInClass) this.parts.concurrency.leave(route.classPlace, caller?.account);
    context.isInClass = false;
  }

  private remaining({ caller }: RequestContext): number | undefined {
    return caller && this.parts.leases.remaining(caller.account.id);
  }

  /**
   * Calls the next step at once if the value is available, otherwise later. A problem is sent as the answer. An
   * exception in a step is caught, so that it ends only this request and not the process.
   */
  private whenReady<T>(
    context: RequestContext,
    value: T | Problem | Promise<T | Problem>,
    next: (context: RequestContext, value: T) => void,
  ): void {
    if (value instanceof Promise) {
      value.then(
        (ready) => {
          if (!context.isOver) this.goOn(context, ready, next);
        },
        (error: unknown) => {
          if (!context.isOver) this.refuse(context, new InternalError(error));
        },
      );
      return;
    }
    this.goOn(context, value, next);
  }

  private goOn<T>(
    context: RequestContext,
    value: T | Problem,
    next: (context: RequestContext, value: T) => void,
  ): void {
    if (value instanceof Problem) return this.refuse(context, value);
    try {
      next(context, value);
    } catch (error) {
      if (!context.isOver) return this.refuse(context, new InternalError(error));
      this.parts.logger.error('a step failed after its request had ended', { err: error });
    }
  }
}
