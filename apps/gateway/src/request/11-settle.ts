import type { Repeats } from '#libs/counters';
import { type Clock, monotonicMs } from '#libs/platform';
import type { Exchange } from '../exchange/exchange.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { ClassConcurrency } from '../rate-limits/class-concurrency.js';
import type { KeyUseJob } from '../request-log/key-use.job.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { RequestCounts } from '../telemetry/request-counts.js';
import type { LoadShedder } from './01-shed.js';

/** How an exchange ended, for the log. */
export interface Ending {
  /** 499 when the client went before its answer. */
  status: number;
  /** Outcome of the lookup, or the code of the problem. */
  outcome: string;
  credits: number;
  /** Of the problem it was refused with. */
  code?: string;
}

/** What a settled request is told to. */
export interface SettlementParts {
  leases: LeaseClient;
  caps: DailyCaps;
  repeats: Repeats;
  log: RequestLog;
  keyUse: KeyUseJob;
  clock: Clock;
  counts: RequestCounts;
}

/** Step 11: what follows the answer, in the same turn: the charge, the journal, the memory, the log. */
export class Settlement {
  constructor(private readonly parts: SettlementParts) {}

  settle(exchange: Exchange, { status, outcome, credits, code }: Ending): void {
    const { caller, lease, cost, route, question, requestId, subject, startedMs } = exchange;
    const { leases, caps, repeats, log, keyUse, clock, counts } = this.parts;
    const durationMs = monotonicMs() - startedMs;
    counts.note(route, status, durationMs, code);
    if (!caller) return;
    if (lease) leases.finish(lease, cost, credits);
    if (cost > 0) caps.release(caller, cost - credits, exchange.capDay);
    if (credits > 0) void repeats.remember(caller.account.counterId, question);
    keyUse.note(caller.keyId);
    log.add({
      atMs: clock.now().getTime(),
      requestId,
      accountId: caller.account.id,
      keyId: caller.keyId,
      operation: route.operation.name,
      version: route.version,
      subject,
      status,
      outcome,
      credits,
      durationMs: Math.round(durationMs),
    });
  }
}

/** Gives back what a request held while it was under way. */
export function leave(
  exchange: Exchange,
  shedder: LoadShedder,
  concurrency: ClassConcurrency,
): void {
  exchange.isOver = true;
  shedder.inFlight--;
  if (exchange.isInClass) concurrency.leave(exchange.route.classPlace);
}
