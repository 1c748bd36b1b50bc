import type { Span as OtelSpan, Tracer } from '@opentelemetry/api';
import type { TelemetryConfig } from './telemetry.config.js';

export type SpanKind = 'server' | 'client' | 'producer' | 'consumer';

export interface SpanRequest {
  service: string;
  /** The span's name, from a closed set: a route or an event type, never a path with values. */
  name: string;
  kind: SpanKind;
  parent?: string;
}

export interface Span {
  /** The context to pass on to dependent work (W3C Trace Context). */
  readonly traceparent: string;
  end(outcome?: { failed?: boolean; attributes?: Record<string, string | number> }): void;
}

interface Recorder {
  start(request: SpanRequest): Span;
  shutdown(): Promise<void>;
}

const SAMPLED_TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01$/;
const SEND_MS = 1_000;
const SEND_LIMIT_MS = 5_000;
const BATCH_SPANS = 512;
const QUEUE_SPANS = 4_096;

let recorder: Recorder | undefined;
let sampledShare = 0;

/**
 * Starts recording traces if a collector is configured; otherwise, nothing is loaded. @returns an object whose `close`
 * sends the remaining spans and stops.
 */
export async function openTraces(
  config: Pick<TelemetryConfig, 'otlpEndpoint' | 'sampledShare'>,
): Promise<{ close(): Promise<void> }> {
  if (config.otlpEndpoint === '') return { close: async () => {} };
  const opened = (recorder = await openRecorder(config.otlpEndpoint));
  sampledShare = config.sampledShare;
  return {
    close: async () => {
      if (recorder === opened) recorder = undefined;
      await opened.shutdown();
    },
  };
}

/** False if nothing is recorded in this process; the only check on a hot path. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/**
 * Starts a trace for a customer's request. Only the configured share of requests is traced; returns undefined for the
 * others.
 */
export function startTrace(request: SpanRequest): Span | undefined {
  if (recorder === undefined || Math.random() >= sampledShare) return undefined;
  return recorder.start(request);
}

/** Starts a span within a recorded operation. @returns undefined if the operation is not recorded. */
export function startSpan(request: SpanRequest): Span | undefined {
  if (recorder === undefined || !isSampled(request.parent)) return undefined;
  return recorder.start(request);
}

function isSampled(traceparent: string | undefined): traceparent is string {
  return traceparent !== undefined && SAMPLED_TRACEPARENT.test(traceparent);
}

async function openRecorder(endpoint: string): Promise<Recorder> {
  const [api, sdk, resources, otlp] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const processor = new sdk.BatchSpanProcessor({
    exporter: new otlp.OTLPTraceExporter({ url, timeoutMillis: SEND_LIMIT_MS }),
    maxExportBatchSize: BATCH_SPANS,
    maxQueueSize: QUEUE_SPANS,
    scheduledDelayMillis: SEND_MS,
    exportTimeoutMillis: SEND_LIMIT_MS,
  });
  const tracers = new Map<string, Tracer>();
  const tracerOf = (service: string): Tracer => {
    const known = tracers.get(service);
    if (known) return known;
    const resource = resources.resourceFromAttributes({ 'service.name': service });
    const options = { resource, sampler: new sdk.AlwaysOnSampler(), spanProcessors: [processor] };
    const tracer = new sdk.TracerProvider(options).getTracer('domain-data-service');
    tracers.set(service, tracer);
    return tracer;
  };
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    producer: api.SpanKind.PRODUCER,
    consumer: api.SpanKind.CONSUMER,
  };
  return {
    start: ({ service, name, kind, parent }) => {
      const context = isSampled(parent)
        ? api.trace.setSpanContext(api.ROOT_CONTEXT, spanContextOf(parent))
        : api.ROOT_CONTEXT;
      const span = tracerOf(service).startSpan(name, { kind: kinds[kind] }, context);
      return asSpan(span, api.SpanStatusCode.ERROR);
    },
    shutdown: () => processor.shutdown(),
  };
}

function spanContextOf(traceparent: string) {
  const [, traceId, spanId] = traceparent.split('-');
  return { traceId, spanId, traceFlags: 1, isRemote: true };
}

function asSpan(span: OtelSpan, errorCode: number): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: `00-${traceId}-${spanId}-01`,
    end: ({ failed = false, attributes = {} } = {}) => {
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: errorCode });
      span.end();
    },
  };
}
