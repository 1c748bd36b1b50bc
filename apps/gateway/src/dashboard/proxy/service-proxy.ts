import type { Readable } from 'node:stream';
import { Pool } from 'undici';
import { type Method, connectTo, problemOf } from '#libs/contracts';
import {
  type Problem,
  type ServiceName,
  type ServiceTokens,
  ServiceUnavailable,
} from '#libs/platform';

/** What an owner must know of the browser behind a call. */
export interface Visitor {
  /** From the session cookie; absent before log-in. */
  sessionToken?: string;
  /** From the device cookie: this browser has logged in before. */
  deviceToken?: string;
  clientAddress: string;
  userAgent?: string;
  requestId: string;
}

export interface ProxiedCall {
  method: Method;
  /** Path at the owner's internal listener, with its query. */
  path: string;
  visitor: Visitor;
  /** Whose session it is, for owners that do not read the session themselves. */
  accountId?: string;
  /** JSON; or bytes, which reach the owner as they came. */
  body?: object | Buffer;
  /** The sender's headers, unchanged: for owners that check a signature. */
  headers?: Readonly<Record<string, string>>;
  idempotencyKey?: string;
  /** 10 s unless given. */
  timeoutMs?: number;
}

export interface ProxiedAnswer {
  status: number;
  body: unknown;
  /** The owner's refusal in its own words, for an answer of 400 and above. */
  refusal?: Problem;
  /** Token of a session that begins with this answer. */
  beginsSession?: string;
  /** By which account will know this browser. */
  deviceToken?: string;
  endsSession: boolean;
}

/** An answer whose bytes are passed on as they arrive. */
export interface StreamedAnswer {
  status: number;
  /** What a browser needs to read it: type, length, disposition, location. */
  headers: Record<string, string>;
  body: Readable;
}

export interface ServiceProxyOptions {
  service: ServiceName;
  /** Origin of its internal listener. */
  url: string;
  tokens: ServiceTokens;
}

const TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 1_000;
/** Calls of several accounts may wait for a payment processor. */
const BROWSER_CONNECTIONS = 48;
/** A processor's callbacks must pass meanwhile: they are what those calls wait for (S102). */
const SENDER_CONNECTIONS = 16;
const JSON_LIMIT_BYTES = 1024 * 1024;
const PASSED_ON = ['content-type', 'content-length', 'content-disposition', 'location', 'etag'];

/**
 * Calls of browsers and signed senders, handed to the service that owns their answer: JSON, raw bytes or a
 * stream. Unlike `ServiceHttp` it answers refusals instead of throwing them, and reads the headers by which
 * account begins and ends sessions; cookies are known to the gateway alone.
 */
export class ServiceProxy {
  private readonly ofBrowsers: Pool;
  private readonly ofSenders: Pool;

  constructor(private readonly options: ServiceProxyOptions) {
    const { service: audience, url, tokens } = options;
    const connect = connectTo({ audience, url, tls: tokens.tls, timeoutMs: CONNECT_TIMEOUT_MS });
    const open = (connections: number) => new Pool(url, { connections, connect });
    this.ofBrowsers = open(BROWSER_CONNECTIONS);
    this.ofSenders = open(SENDER_CONNECTIONS);
  }

  /**
   * An answer in JSON, 1 MiB at most.
   * @throws ServiceUnavailable when the owner cannot be reached, is late or answers with something else.
   */
  async call(call: ProxiedCall): Promise<ProxiedAnswer> {
    const { service } = this.options;
    try {
      const { statusCode, headers, body } = await this.send(call);
      const text = await textWithin(body, JSON_LIMIT_BYTES);
      const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
      return {
        status: statusCode,
        body: answer,
        refusal: statusCode < 400 ? undefined : problemOf(answer, service),
        beginsSession: single(headers['x-set-session']),
        deviceToken: single(headers['x-set-device']),
        endsSession: headers['x-clear-session'] !== undefined,
      };
    } catch (error) {
      throw new ServiceUnavailable(service, error);
    }
  }

  /**
   * An answer of any type and size. The time limit holds until it is complete.
   * @throws the owner's refusal; ServiceUnavailable as `call`.
   */
  async stream(call: ProxiedCall): Promise<StreamedAnswer> {
    const { service } = this.options;
    let refusal: unknown;
    try {
      const { statusCode, headers, body } = await this.send(call);
      if (statusCode < 400) {
        const passed = PASSED_ON.flatMap((name) => {
          const value = single(headers[name]);
          return value === undefined ? [] : [[name, value]];
        });
        return { status: statusCode, headers: Object.fromEntries(passed), body };
      }
      refusal = JSON.parse(await textWithin(body, JSON_LIMIT_BYTES));
    } catch (error) {
      throw new ServiceUnavailable(service, error);
    }
    throw problemOf(refusal, service);
  }

  async close(): Promise<void> {
    await Promise.all([this.ofBrowsers.destroy(), this.ofSenders.destroy()]);
  }

  private send(call: ProxiedCall) {
    const { method, path, body, timeoutMs = TIMEOUT_MS } = call;
    const isSigned = call.headers !== undefined;
    return (isSigned ? this.ofSenders : this.ofBrowsers).request({
      method,
      path,
      headers: this.headersOf(call),
      body: body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
  }

  /** Our headers win over the sender's: no header from outside identifies the caller. */
  private headersOf({ visitor, accountId, body, headers, idempotencyKey }: ProxiedCall) {
    const { tokens, service } = this.options;
    const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
    return {
      ...headers,
      authorization: `Bearer ${tokens.issue('gateway', service)}`,
      'x-client-address': visitor.clientAddress,
      'x-request-id': visitor.requestId,
      ...(body !== undefined && { 'content-type': type }),
      ...(accountId && { 'x-account-id': accountId }),
      ...(service === 'account' && sessionHeaders(visitor)),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    };
  }
}

/** Tokens of the browser: account alone can tell what they are worth. */
function sessionHeaders({ sessionToken, deviceToken, userAgent }: Visitor) {
  return {
    ...(sessionToken && { 'x-session-token': sessionToken }),
    ...(deviceToken && { 'x-device-token': deviceToken }),
    ...(userAgent && { 'x-user-agent': userAgent }),
  };
}

/** @throws when there is more of it. */
async function textWithin(body: Readable, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new Error(`the answer has more than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
