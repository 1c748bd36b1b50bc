import { AsyncLocalStorage } from 'node:async_hooks';

/** The request or event on whose behalf something is done, for log lines and for subsequent calls and events. */
export interface RequestContext {
  requestId?: string;
  /** W3C Trace Context of the current span; only while it is recorded. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/**
 * Runs `work`, and everything that it awaits, on behalf of a request. If a request finds everything in memory, the
 * gateway passes the ids on itself instead.
 */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** The trace id in a `traceparent`; undefined if there is none. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/** The members of a context that are in each log line. */
export function contextFields(context: RequestContext | undefined): object {
  if (context === undefined) return {};
  const { requestId, traceparent } = context;
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(traceparent !== undefined && { trace_id: traceIdOf(traceparent) }),
  };
}
