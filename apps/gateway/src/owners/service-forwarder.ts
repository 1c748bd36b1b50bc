import type { Readable } from 'node:stream';
import { Pool, type Dispatcher } from 'undici';
import { CHARGED_ITEMS_HEADER, OUTCOME_HEADER, SOURCE_HEADER, connectTo } from '#libs/contracts';
import {
  InvalidRequest,
  type Problem,
  type ServiceName,
  type ServiceTokens,
  ServiceUnavailable,
  idempotencyKeyOf,
} from '#libs/platform';
import { headerOf } from '../context/header-lines.js';
import type { RequestContext } from '../context/request-context.js';
import { AnswerTimeout, AnswerTooLarge } from '../request/request.errors.js';
import type { OwnerHeaders, OwnerAnswer } from './owner-answer.js';

export interface ServiceForwarderOptions {
  service: ServiceName;
  /** Origin of its internal listener. */
  url: string;
  /** Its Unix socket, when it runs on the same machine. */
  socketPath?: string;
  tokens: ServiceTokens;
  /** Longest until the answer begins, and longest silence within it, in milliseconds. */
  timeoutMs: number;
}

const CONNECTIONS = 200;
const CONNECT_TIMEOUT_MS = 1_000;
const BODY_MAX_BYTES = 4 * 1024 * 1024;
/** What may stand in a header that goes to the customer. */
const LOCATION = /^(https:\/\/|\/)[\x21-\x7e]{0,4096}$/;

const answerTimeout = new AnswerTimeout();

/**
 * Asks an owner with undici: bodies, other forms than JSON, streams, and every owner but lookup. What the hot
 * path asks goes through connections of our own (`lookup/`). One try, too.
 */
export class ServiceForwarder {
  private readonly pool: Pool;

  constructor(private readonly options: ServiceForwarderOptions) {
    const { service: audience, url, socketPath, tokens, timeoutMs } = options;
    this.pool = new Pool(url, {
      connections: CONNECTIONS,
      pipelining: 1,
      connect: connectTo({
        audience,
        url,
        socketPath,
        tls: tokens.tls,
        timeoutMs: CONNECT_TIMEOUT_MS,
      }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** Answers with a Problem when nobody could be asked; the call ends when the client goes. */
  async ask(context: RequestContext): Promise<OwnerAnswer | Problem> {
    const { route, question, body, form } = context;
    const call = (context.serviceCall = new AbortController());
    try {
      const response = await this.pool.request({
        method: route.operation.method,
        path: question,
        headers: this.headersOf(context),
        body: body === undefined ? null : JSON.stringify(body),
        signal: call.signal,
      });
      const headers = headersOf(response);
      if (form.type === 'redirect' && headers.location !== undefined) headers.status = 200;
      if (headers.status === 200 && form.type !== 'application/json') {
        // The reader gets its faults; without this handler an abandoned stream would end the process.
        return { headers, body: '', stream: response.body.on('error', () => {}) as Readable };
      }
      return { headers, body: await textOf(response.body) };
    } catch (error) {
      if (error instanceof InvalidRequest || error instanceof AnswerTooLarge) return error;
      const isLate = (error as { code?: string }).code === 'UND_ERR_HEADERS_TIMEOUT';
      return isLate ? answerTimeout : new ServiceUnavailable(this.options.service, error);
    }
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private headersOf(context: RequestContext): Record<string, string> {
    const { service, tokens } = this.options;
    const { caller, requestId, span, body, form, isRepeat, request } = context;
    const idempotencyKey = idempotencyKeyOf(headerOf(request.rawHeaders, 'idempotency-key'));
    return {
      authorization: `Bearer ${tokens.issue('gateway', service)}`,
      'x-request-id': requestId,
      accept: form.type === 'redirect' ? '*/*' : form.type,
      ...(body && { 'content-type': 'application/json' }),
      ...(caller && { 'x-account-id': caller.account.id, 'x-key-id': caller.keyId }),
      ...(span && { traceparent: span.traceparent }),
      ...(isRepeat && { 'x-repeat': '1' }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    };
  }
}

function headersOf({ statusCode, headers }: Dispatcher.ResponseData): OwnerHeaders {
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : '';
  };
  const [age, items] = [text('age'), text(CHARGED_ITEMS_HEADER)];
  return {
    status: statusCode,
    outcome: text(OUTCOME_HEADER),
    servedFrom: text(SOURCE_HEADER),
    age: /^[0-9]{1,10}$/.test(age) ? age : undefined,
    chargedItems: /^[0-9]{1,9}$/.test(items) ? Number(items) : undefined,
    location: LOCATION.exec(text('location'))?.[0],
  };
}

async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new AnswerTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}
