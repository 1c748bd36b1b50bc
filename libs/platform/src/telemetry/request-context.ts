import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The request or event that caused the current work. Its request id and trace are in log lines and in subsequent calls;
 * the trace is also in events.
 */
export interface RequestContext {
  requestId?: string;
  /** The account for which another service calls. */
  accountId?: string;
  /** The W3C Trace Context of the current span or, if no span is recorded here, of the caller. */
  traceparent?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

/**
 * Runs `work`, and everything that it awaits, on behalf of a request. For a request that is answered from memory, the
 * gateway passes the ids on itself instead.
 */
export function runInContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

export function currentContext(): RequestContext | undefined {
  return storage.getStore();
}

/** Returns the trace id in a `traceparent`; undefined if there is none. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/** Returns the members of a context that are written to each log line. */
export function contextFields(context: RequestContext | undefined): object {
  if (context === undefined) return {};
  const { requestId, traceparent } = context;
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(traceparent !== undefined && { trace_id: traceIdOf(traceparent) }),
  };
}
