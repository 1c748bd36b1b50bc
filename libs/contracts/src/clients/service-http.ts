import type { Readable } from 'node:stream';
import {
  Problem,
  type ProblemBody,
  type ServiceName,
  ServiceTokens,
  ServiceUnavailable,
  currentContext,
  startSpan,
} from '#libs/platform';
import { ServicePool } from './connections/service-connect.js';

export interface ServiceHttpOptions {
  /** `http://host:port` of the audience's internal listener. */
  url: string;
  caller: ServiceName;
  audience: ServiceName;
  tokens: ServiceTokens;
  /** The time limit of a call that sets none; 3 s by default. */
  timeoutMs?: number;
  /** The maximum number of connections for calls, and of those for streams; 32 by default. */
  connections?: number;
}

export interface ServiceCall {
  accountId?: string;
  /** An object that is sent as JSON, or bytes that are sent unchanged. */
  body?: object;
  requestId?: string;
  traceparent?: string;
  timeoutMs?: number;
}

export interface StreamCall extends Pick<ServiceCall, 'accountId' | 'body' | 'requestId'> {
  /** Ends the call, even while its answer is being read. */
  signal: AbortSignal;
}

type CallMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const TIMEOUT_MS = 3_000;
const CONNECTIONS = 32;
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Calls one service with JSON over HTTP: adds the token, the request's ids and a deadline, and throws the service's
 * rejections as Problems.
 */
export class ServiceHttp {
  private readonly pool: ServicePool;
  /** A separate pool, because streams last long and calls must not wait for them. */
  private readonly streams: ServicePool;

  constructor(private readonly options: ServiceHttpOptions) {
    const { url, audience, tokens, connections = CONNECTIONS } = options;
    const way = { audience, url, tls: tokens.tls, connections };
    this.pool = new ServicePool({ ...way, maxResponseSize: BODY_LIMIT_BYTES });
    this.streams = new ServicePool(way);
  }

  /**
   * Calls a service. @throws Problem with the called service's own code for its rejections; ServiceUnavailable if the
   * service cannot be reached or does not answer in time, or if its answer is not in our format.
   */
  async call<T>(method: CallMethod, path: string, call: ServiceCall = {}): Promise<T> {
    const { audience, caller } = this.options;
    const context = currentContext();
    const parent = call.traceparent ?? context?.traceparent;
    const name = `${method} ${audience}`;
    const span = startSpan({ service: caller, name, kind: 'client', parent });
    const ids = {
      requestId: call.requestId ?? context?.requestId,
      traceparent: span?.traceparent ?? parent,
    };
    let hasFailed = true;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new Error('no answer in time')),
      call.timeoutMs ?? this.options.timeoutMs ?? TIMEOUT_MS,
    );
    try {
      const response = await this.pool.request({
        method,
        path,
        headers: this.headersOf({ ...call, ...ids }),
        body: bodyOf(call),
        signal: deadline.signal,
        // The deadline covers both.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const text = await response.body.text();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      hasFailed = response.statusCode >= 500;
      if (response.statusCode < 400) return body as T;
      throw problemOf(body, audience);
    } catch (error) {
      throw error instanceof Problem ? error : new ServiceUnavailable(audience, error);
    } finally {
      clearTimeout(timer);
      span?.end({ failed: hasFailed });
    }
  }

  /**
   * Posts a request and returns its answer as a stream, which the caller must read or destroy. @throws the errors of
   * `call`, until the answer begins.
   */
  async stream(path: string, call: StreamCall): Promise<Readable> {
    const { audience } = this.options;
    try {
      const response = await this.streams.request({
        method: 'POST',
        path,
        headers: this.headersOf({
          ...call,
          requestId: call.requestId ?? currentContext()?.requestId,
        }),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: call.signal,
      });
      if (response.statusCode < 400) return response.body.on('error', () => {}) as Readable;
      throw problemOf(await response.body.json(), audience);
    } catch (error) {
      throw error instanceof Problem ? error : new ServiceUnavailable(audience, error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.streams.destroy()]);
  }

  private headersOf(call: ServiceCall): Record<string, string> {
    const { tokens, caller, audience } = this.options;
    return {
      authorization: `Bearer ${tokens.issue(caller, audience)}`,
      ...(call.body !== undefined && { 'content-type': typeOf(call.body) }),
      ...(call.accountId && { 'x-account-id': call.accountId }),
      ...(call.requestId && { 'x-request-id': call.requestId }),
      ...(call.traceparent && { traceparent: call.traceparent }),
    };
  }
}

function bodyOf({ body }: ServiceCall): string | Buffer | null {
  if (body === undefined) return null;
  return Buffer.isBuffer(body) ? body : JSON.stringify(body);
}

function typeOf(body: object): string {
  return Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
}

/** Returns the rejection in a service's answer; ServiceUnavailable if the answer is not in our format. */
export function problemOf(body: unknown, audience: ServiceName): Problem {
  const { code, status, detail, retryable, retry_after, errors, ...members } = (body ??
    {}) as ProblemBody;
  if (typeof code !== 'string' || typeof status !== 'number')
    return new ServiceUnavailable(audience);
  return new Problem({
    code,
    status,
    detail,
    retryable,
    retryAfterSeconds: retry_after,
    errors,
    members,
  });
}
