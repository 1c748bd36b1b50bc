import type { RepeatWindow } from '#libs/counters';
import { type Clock, type Span, monotonicMs } from '#libs/platform';
import type { RequestContext } from '../context/request-context.js';
import type { DailyCaps } from '../lease/daily-caps.js';
import type { LeaseClient } from '../lease/lease-client.js';
import type { KeyUseJob } from '../request-log/key-use.job.js';
import type { CountRefusalsJob } from '../request-log/count-refusals.job.js';
import type { RequestLog } from '../request-log/request-log.js';
import type { LogEntry } from '../request-log/log-line.js';
import type { RequestCounts } from '../telemetry/request-counts.js';
import { isOurOutage } from '../rate-limits/our-outages.js';

export interface Ending {
  /** The status; 499 if the client disconnected before the end of the answer. */
  status: number;
  /**
   * The answer's outcome, the problem's code, or how the answer was interrupted; empty if the owner named no outcome.
   */
  outcome: string;
  credits: number;
  code?: string;
}

export interface RecorderParts {
  leases: LeaseClient;
  caps: DailyCaps;
  repeatWindow: RepeatWindow;
  log: RequestLog;
  refusals: CountRefusalsJob;
  keyUse: KeyUseJob;
  clock: Clock;
  counts: RequestCounts;
}

/**
 * Step 10: updates the charge, the journal, the memory of repeats and the log, in the event-loop turn in which the
 * answer was sent.
 */
export class RequestRecorder {
  constructor(private readonly parts: RecorderParts) {}

  record(context: RequestContext, ending: Ending): void {
    const { status, credits, code } = ending;
    const { caller, lease, hold, cost, route, question, body, requestId, subject, startedMs } =
      context;
    const { leases, caps, repeatWindow, log, refusals, keyUse, clock, counts } = this.parts;
    const durationMs = monotonicMs() - startedMs;
    // Most owners name an outcome only for what they looked up.
    const outcome = ending.outcome || (code ?? 'delivered');
    counts.note(route, status, durationMs, code);
    if (context.span !== undefined) endSpan(context.span, status, outcome);
    if (!caller) return;
    if (cost > 0) caps.release(caller, cost - credits, context.capDay);
    // The question of a request with a body does not contain the body, and may equal the question of a GET request.
    if (credits > 0 && body === undefined) void repeatWindow.remember(caller.account, question);
    if (!context.carried?.caller) keyUse.note(caller.keyId);
    const isRefusal = code !== undefined && (status < 500 || isOurOutage(code));
    const isCounted = isRefusal && !refusals.isRow(caller.keyId);
    const entry: LogEntry = {
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
    };
    const row = isCounted ? refusals.count(entry) : log.add(entry);
    if (lease) leases.finish(lease, cost, credits, route.operation.name, row);
    hold?.finish(credits, row);
  }
}

function endSpan(span: Span, status: number, outcome: string): void {
  const attributes = { 'http.response.status_code': status, 'dds.outcome': outcome };
  span.end({ failed: status >= 500, attributes });
}
