import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../logger.js';
import { type RequestContext, contextFields, runInContext } from '../telemetry/request-context.js';
import { type Span, startSpan } from '../telemetry/traces.js';

interface Watched {
  context: RequestContext;
  span?: Span;
}

/** Matches ids that another service may have sent; other ids, such as longer ones, are not logged. */
const REQUEST_ID = /^[A-Za-z0-9_-]{1,64}$/;
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/;

/**
 * Runs every internal request on behalf of its caller: the caller's request id and trace are in the log lines and are
 * passed on with calls, and the trace also with events. If LOG_LEVEL=debug is set, each request has its own line.
 */
export function watchRequests(fastify: FastifyInstance, service: string, logger: Logger): void {
  const watched = new WeakMap<FastifyRequest, Watched>();
  fastify
    // This runs after the body has been read, because the body parser's callbacks would leave the context.
    .addHook('preValidation', (request, _reply, done) => {
      const parent = textOf(request, 'traceparent', TRACEPARENT);
      const name = `${request.method} ${request.routeOptions.url ?? ''}`;
      const span = startSpan({ service, name, kind: 'server', parent });
      const context = {
        requestId: textOf(request, 'x-request-id', REQUEST_ID),
        accountId: textOf(request, 'x-account-id', REQUEST_ID),
        traceparent: span?.traceparent ?? parent,
      };
      watched.set(request, { context, span });
      runInContext(context, done);
    })
    .addHook('onResponse', (request, reply, done) => {
      const { context, span } = watched.get(request) ?? {};
      const { statusCode, elapsedTime } = reply;
      const attributes = { 'http.response.status_code': statusCode };
      span?.end({ failed: statusCode >= 500, attributes });
      if (logger.isDebug) {
        logger.debug('answered', {
          method: request.method,
          route: request.routeOptions.url,
          status: statusCode,
          duration_ms: Math.round(elapsedTime),
          ...contextFields(context),
        });
      }
      done();
    });
}

function textOf(request: FastifyRequest, header: string, form: RegExp): string | undefined {
  const value = request.headers[header];
  return typeof value === 'string' && form.test(value) ? value : undefined;
}
