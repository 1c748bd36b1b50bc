import type { BlockList, Socket } from 'node:net';
import type { Repeats, RequestWindow, WindowAnswer } from '#libs/counters';
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
import type { ApiRoute } from '../exchange/api-routes.js';
import { type ApiRequest, Exchange, type Reply } from '../exchange/exchange.js';
import type { KeyEntry } from '../facts/caller.js';
import type { Facts } from '../facts/facts.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { Lease } from '../lease/lease.js';
import { ServiceOverloaded } from '../problems/problems.errors.js';
import type { ClassConcurrency } from '../rate-limits/class-concurrency.js';
import type { LoadShedder } from '../request/01-shed.js';
import type { FailedKeys } from '../request/02-failed-keys.js';
import { findKey } from '../request/03-find-key.js';
import { knowCaller } from '../request/04-know-caller.js';
import { authorise } from '../request/05-authorise.js';
import { countRequest, limitRate } from '../request/06-limit-rate.js';
import { readParameters } from '../request/07-read-parameters.js';
import { findRepeat, reserve } from '../request/08-reserve.js';
import type { LookupForwarder } from '../request/09-forward.js';
import {
  type AnswerSettings,
  creditsFor,
  problemOf,
  sendAnswer,
  sendProblem,
} from '../request/10-answer.js';
import { type Settlement, leave } from '../request/11-settle.js';
import type { LookupAnswer } from '../lookup/lookup-call.js';

/** What the steps work with. */
export interface RequestPathParts {
  shedder: LoadShedder;
  failedKeys: FailedKeys;
  facts: Facts;
  window: RequestWindow;
  concurrency: ClassConcurrency;
  repeats: Repeats;
  leases: LeaseClient;
  caps: DailyCaps;
  forwarder: LookupForwarder;
  settlement: Settlement;
  answers: AnswerSettings;
  trustedProxies: BlockList;
  logger: Logger;
}

const CLIENT_GONE = 499;
/** The newest exchange on a socket; a client that pipelines has earlier ones behind it. */
const NEWEST = Symbol('newest exchange');

interface ApiSocket extends Socket {
  /** Null when all are over: what was answered is not kept until the next question. */
  [NEWEST]?: Exchange | null;
}

const serviceOverloaded = new ServiceOverloaded();

/**
 * Runs an API request through the numbered steps of `request/`. Each step answers at once when what it
 * needs is in memory; only then does the whole path run in one go, which is the usual case. The steps
 * hand over to one another as fields of this object: a closure each is garbage, five times a request.
 */
export class RequestPath {
  constructor(private readonly parts: RequestPathParts) {}

  handle(request: ApiRequest, reply: Reply, route: ApiRoute, query: string): void {
    const { shedder } = this.parts;
    const exchange = new Exchange(request, reply, route, monotonicMs());
    const isOverloaded = shedder.isOverloaded;
    shedder.inFlight++;
    if (isTracing()) {
      exchange.span = startTrace({ service: 'gateway', name: `GET ${route.path}`, kind: 'server' });
    }
    watchClient(exchange, this.abort);
    if (isOverloaded) return this.refuse(exchange, serviceOverloaded);
    const refusal = findKey(exchange, query);
    if (refusal) return this.refuse(exchange, refusal);
    const { facts, failedKeys, trustedProxies } = this.parts;
    const caller = knowCaller(exchange, facts, failedKeys, trustedProxies);
    this.whenReady(exchange, caller, this.admit);
  }

  private readonly admit = (exchange: Exchange, caller: KeyEntry): void => {
    exchange.caller = caller;
    const refusal = authorise(exchange, caller, this.parts.trustedProxies);
    if (refusal) return this.refuse(exchange, refusal);
    exchange.rateLimit = caller.account.limits[exchange.route.operation.class];
    const rate = countRequest(exchange, caller, this.parts.window);
    this.whenReady(exchange, rate, this.limit);
  };

  private readonly limit = (exchange: Exchange, rate: WindowAnswer): void => {
    exchange.rate = rate;
    const caller = exchange.caller!;
    const refusal =
      limitRate(exchange, this.parts.concurrency) ?? readParameters(exchange, caller.isTest);
    if (refusal) return this.refuse(exchange, refusal);
    const isRepeat = findRepeat(exchange, caller, this.parts.repeats);
    this.whenReady(exchange, isRepeat, this.reserve);
  };

  private readonly reserve = (exchange: Exchange, isRepeat: boolean): void => {
    exchange.isRepeat = isRepeat;
    const { leases, caps } = this.parts;
    const reserved = reserve(exchange, exchange.caller!, leases, caps);
    if (reserved instanceof Promise) {
      // Credits that come after the client has gone must not stay reserved.
      void reserved.then((lease) => {
        if (exchange.isOver && !(lease instanceof Problem)) leases.finish(lease, exchange.cost, 0);
      });
    }
    this.whenReady(exchange, reserved, this.forward);
  };

  private readonly forward = (exchange: Exchange, lease: Lease | undefined): void => {
    exchange.lease = lease;
    if (lease) crashPoint('gateway.after-reserve');
    this.parts.forwarder.ask(exchange, this.answer);
  };

  private readonly answer = (exchange: Exchange, answer: LookupAnswer | Problem): void => {
    if (answer instanceof Problem) return this.refuse(exchange, answer);
    const { status, outcome } = answer.head;
    if (status !== 200) return this.refuse(exchange, problemOf(answer), outcome);
    // It went in this very turn: nobody would get what would be charged.
    if (!exchange.request.socket.writable) return this.abort(exchange);
    crashPoint('gateway.after-lookup-answer');
    const credits = creditsFor(answer, exchange);
    const { shedder, concurrency, settlement } = this.parts;
    leave(exchange, shedder, concurrency);
    const remaining = this.remaining(exchange);
    sendAnswer(
      exchange,
      answer,
      credits,
      remaining === undefined ? undefined : remaining - credits,
    );
    crashPoint('gateway.after-answer');
    settlement.settle(exchange, { status: 200, outcome, credits });
    forgetExchange(exchange);
  };

  private refuse(exchange: Exchange, problem: Problem, outcome: string = problem.code): void {
    const { shedder, concurrency, settlement, answers, logger } = this.parts;
    leave(exchange, shedder, concurrency);
    if (problem.cause !== undefined && problem.status >= 500) {
      logger.warn('a request was refused', {
        err: problem.cause,
        code: problem.code,
        request_id: exchange.requestId,
        trace_id: traceIdOf(exchange.span?.traceparent),
      });
    }
    sendProblem(exchange, problem, this.remaining(exchange), answers);
    const { status, code } = problem;
    settlement.settle(exchange, { status, outcome, credits: 0, code });
    forgetExchange(exchange);
  }

  /** The client went: nothing is charged, and lookup need not go on. */
  private readonly abort = (exchange: Exchange): void => {
    const { shedder, concurrency, settlement } = this.parts;
    leave(exchange, shedder, concurrency);
    settlement.settle(exchange, { status: CLIENT_GONE, outcome: 'client_gone', credits: 0 });
    exchange.lookupCall?.connection?.destroy();
  };

  private remaining({ caller }: Exchange): number | undefined {
    return caller && this.parts.leases.remaining(caller.account.id);
  }

  /** Goes on at once with a value that is at hand, later with one that is not; a problem is refused. */
  private whenReady<T>(
    exchange: Exchange,
    value: T | Problem | Promise<T | Problem>,
    next: (exchange: Exchange, value: T) => void,
  ): void {
    if (value instanceof Promise) {
      value.then(
        (ready) => {
          if (!exchange.isOver) this.goOn(exchange, ready, next);
        },
        (error: unknown) => {
          if (!exchange.isOver) this.refuse(exchange, new InternalError(error));
        },
      );
      return;
    }
    this.goOn(exchange, value, next);
  }

  private goOn<T>(
    exchange: Exchange,
    value: T | Problem,
    next: (exchange: Exchange, value: T) => void,
  ): void {
    if (value instanceof Problem) this.refuse(exchange, value);
    else next(exchange, value);
  }
}

/** Whether a question that came on this socket has no answer yet. */
export function isAsking(socket: Socket): boolean {
  for (let one = (socket as ApiSocket)[NEWEST]; one; one = one.earlier) {
    if (!one.isOver) return true;
  }
  return false;
}

/** One close listener for a socket's whole life, not one for each of its requests. */
function watchClient(exchange: Exchange, onGone: (exchange: Exchange) => void): void {
  const socket = exchange.request.socket as ApiSocket;
  const newest = socket[NEWEST];
  socket[NEWEST] = exchange;
  if (newest === null) return;
  if (newest !== undefined) {
    exchange.earlier = newest;
    // What has been answered is let go, wherever it stands in the row.
    for (let last = exchange; last.earlier !== undefined;) {
      if (last.earlier.isOver) last.earlier = last.earlier.earlier;
      else last = last.earlier;
    }
    return;
  }
  socket.once('close', () => {
    for (let left = socket[NEWEST] ?? undefined; left !== undefined; left = left.earlier) {
      if (!left.isOver) onGone(left);
    }
  });
}

/**
 * An idle connection holds nothing of what it asked: with many of them, every collection of young
 * garbage would have to copy the last exchange of each.
 */
function forgetExchange(exchange: Exchange): void {
  const socket = exchange.request.socket as ApiSocket;
  if (socket[NEWEST] === exchange) socket[NEWEST] = exchange.earlier ?? null;
}
