import type { BlockList } from 'node:net';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import {
  CHARGED_ITEMS_HEADER,
  CREDITS_MAX_HEADER,
  NEXT_CURSOR_HEADER,
  OUTCOME_HEADER,
  SOURCE_HEADER,
  ServicePool,
} from '#libs/contracts';
import {
  InvalidRequest,
  type Problem,
  type ServiceName,
  type ServiceTokens,
  ServiceUnavailable,
  idempotencyKeyOf,
  toProblem,
} from '#libs/platform';
import { AnswerTimeout, type TransferCall, headerOf } from '#libs/public-http';
import { clientAddress } from '../context/client-address.js';
import type { ApiRequest, RequestContext } from '../context/request-context.js';
import type { OwnerHeaders, OwnerAnswer } from '../context/owner-answer.js';
import { AnswerTooLarge } from './owners.errors.js';

export interface ServiceForwarderOptions {
  service: ServiceName;
  url: string;
  /** The Unix socket of the owner, if it runs on the same machine. */
  socketPath?: string;
  tokens: ServiceTokens;
  trustedProxies: BlockList;
}

const CONNECTIONS = 200;
const TRANSFER_CONNECTIONS = 700;
const USER_AGENT_LENGTH_MAX = 300;
/** The format of a cursor that may be passed on to the customer in a header. */
const CURSOR = /^[A-Za-z0-9_.-]{1,1500}$/;

const answerTimeout = new AnswerTimeout();

/**
 * Calls an owner with undici: for bodies, formats other than JSON, streams, and every owner except lookup. Calls of the
 * hot path use their own connections (`lookup/`). Here too, a call is never retried.
 */
export class ServiceForwarder {
  private readonly pool: ServicePool;
  /** Connections for uploads and downloads only, so that other requests always find a free one. */
  private readonly transfers: ServicePool;

  constructor(private readonly options: ServiceForwarderOptions) {
    const { service: audience, url, socketPath, tokens } = options;
    const way = { audience, url, socketPath, tls: tokens.tls };
    this.pool = new ServicePool({ ...way, connections: CONNECTIONS });
    this.transfers = new ServicePool({ ...way, connections: TRANSFER_CONNECTIONS });
  }

  /**
   * Returns the owner's answer, or a Problem if there is none that can be passed on. If the status is 200 and the
   * format is not JSON, the body is a stream. The call is aborted if the client disconnects.
   */
  async ask(context: RequestContext): Promise<OwnerAnswer | Problem> {
    const { route, question, body, form } = context;
    const { timeoutMs, answerBytes } = route.limits;
    const call = (context.serviceCall = new AbortController());
    try {
      const response = await this.pool.request({
        method: route.operation.method,
        path: question,
        headers: this.headersOf(context),
        body: body === undefined ? null : JSON.stringify(body),
        signal: call.signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      const headers = headersOf(response);
      if (headers.status === 200 && form.type !== 'application/json') {
        // The reader also gets the stream's errors. Without this handler, an error in an abandoned stream would end the
        // process.
        return { headers, body: '', stream: response.body.on('error', () => {}) as Readable };
      }
      return { headers, body: await textOf(response.body, answerBytes) };
    } catch (error) {
      if (error instanceof InvalidRequest || error instanceof AnswerTooLarge) return error;
      const isLate = (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT';
      return isLate ? answerTimeout : new ServiceUnavailable(this.options.service, error);
    }
  }

  /**
   * Returns the connection pool and headers for an upload to or a download from this owner, and the route's time limit;
   * a `Problem` if the `Idempotency-Key` is malformed.
   */
  transferOf(
    context: RequestContext,
  ): Pick<TransferCall, 'dispatcher' | 'headers' | 'answerTimeoutMs'> | Problem {
    try {
      const headers = this.headersOf(context);
      const { timeoutMs } = context.route.limits;
      return { dispatcher: this.transfers, headers, answerTimeoutMs: timeoutMs };
    } catch (error) {
      return toProblem(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.destroy(), this.transfers.destroy()]);
  }

  private headersOf(context: RequestContext): Record<string, string> {
    const { service, tokens, trustedProxies } = this.options;
    const { caller, requestId, span, body, form, isRepeat, request, route } = context;
    const idempotencyKey = idempotencyKeyOf(headerOf(request.rawHeaders, 'idempotency-key'));
    return {
      authorization: `Bearer ${tokens.issue('gateway', service)}`,
      'x-request-id': requestId,
      accept: form.type.includes('/') ? form.type : '*/*',
      ...(body && { 'content-type': 'application/json' }),
      ...(caller && { 'x-account-id': caller.account.id, 'x-key-id': caller.keyId }),
      ...(span && { traceparent: span.traceparent }),
      ...(isRepeat && { 'x-repeat': '1' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(route.managesKeys && visitorHeaders(request, trustedProxies)),
    };
  }
}

/** Returns the client's address and program, for the owner's audit log. */
function visitorHeaders(request: ApiRequest, trustedProxies: BlockList): Record<string, string> {
  return {
    'x-client-address': clientAddress(request, trustedProxies),
    'x-user-agent': (headerOf(request.rawHeaders, 'user-agent') ?? '').slice(
      0,
      USER_AGENT_LENGTH_MAX,
    ),
  };
}

function headersOf({ statusCode, headers }: Dispatcher.ResponseData): OwnerHeaders {
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const age = text('age');
  const number = (name: string) =>
    /^[0-9]{1,9}$/.test(text(name)) ? Number(text(name)) : undefined;
  return {
    status: statusCode,
    outcome: text(OUTCOME_HEADER),
    servedFrom: text(SOURCE_HEADER),
    age: /^[0-9]{1,10}$/.test(age) ? age : undefined,
    chargedItems: number(CHARGED_ITEMS_HEADER),
    creditsMax: number(CREDITS_MAX_HEADER),
    nextCursor: CURSOR.exec(text(NEXT_CURSOR_HEADER))?.[0],
  };
}

async function textOf(body: Readable, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) throw new AnswerTooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}
