import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type Method, ServicePool, problemOf } from '#libs/contracts';
import {
  type CallPace,
  type Problem,
  SECOND_MS,
  type ServiceName,
  type ServiceTokens,
  ServiceUnavailable,
  siteOf,
} from '#libs/platform';
import type { TransferCall } from '#libs/public-http';
import { TooManyCalls, TooManyChanges } from './service-calls.errors.js';
import type { DashboardMetrics } from '../telemetry/dashboard-metrics.js';
import { CallShares } from './call-shares.js';

export interface BrowserCaller {
  /** The session's token from the session cookie; absent before a log-in. */
  sessionToken?: string;
  /** The token from the device cookie, which shows that this browser has logged in before. */
  deviceToken?: string;
  /** The token from the step cookie, which belongs to an unfinished log-in. */
  stepToken?: string;
  clientAddress: string;
  userAgent?: string;
  requestId: string;
}

export interface ProxiedCall {
  method: Method;
  /** The path at the owner's internal listener, with the query. */
  path: string;
  visitor: BrowserCaller;
  /** The account of the session, for owners that do not read the session themselves. */
  accountId?: string;
  /** An object to send as JSON, or bytes that reach the owner unchanged. */
  body?: object | Buffer;
  /** The sender's unchanged headers, for owners that verify a signature. */
  headers?: Readonly<Record<string, string>>;
  idempotencyKey?: string;
  /** Whether the call checks the session. Such calls are short and precede every other call. */
  isSessionCheck?: boolean;
  /** The time limit, including the wait for other calls of the same account or network; by default, 10 s. */
  timeoutMs?: number;
  /** Maximum size of a JSON answer; by default, 1 MiB. */
  answerBytes?: number;
}

export interface ProxiedAnswer {
  status: number;
  body: unknown;
  /** The owner's own rejection, if the status is 400 or higher. */
  refusal?: Problem;
  beginsSession?: string;
  beginsStep?: string;
  /** The token by which the account service recognises this browser. */
  deviceToken?: string;
  endsSession: boolean;
}

export interface ServiceProxyOptions {
  service: ServiceName;
  url: string;
  tokens: ServiceTokens;
  metrics?: DashboardMetrics;
  /** Limits the calls that do more than read, per account; by default, there is no limit. */
  changes?: CallPace;
}

/** An answer that has begun. It must be released once it has been read. */
interface Sent {
  answer: Dispatcher.ResponseData;
  leave: () => void;
}

const TIMEOUT_MS = 10_000;
/**
 * The maximum number of connections for browsers' calls. More than sixty log-ins of strangers may be waiting for a hash
 * (S121).
 */
const BROWSER_CONNECTIONS = 96;
/** The maximum number of browsers' calls in progress for one account (or one site, if no account is known). */
const OF_ONE_CONNECTIONS = 12;
/**
 * The same for calls with a longer time limit. They may wait for a payment processor or a registry, and pages must not
 * wait for them (S102).
 */
const LONG_CONNECTIONS = 96;
const LONG_CALLS_OF_ONE = 6;
/**
 * The maximum number of connections for session checks. They are short and precede every page, so
 * slow calls must not delay them.
 */
const SESSION_CONNECTIONS = 16;
const SESSION_CHECKS_OF_ONE = 4;
/**
 * The maximum number of connections for callbacks from processors. These have their own
 * connections, because other calls may wait for them (S102).
 */
const SENDER_CONNECTIONS = 16;
const TRANSFER_CONNECTIONS = 600;
const JSON_LIMIT_BYTES = 1024 * 1024;

/**
 * Forwards calls of browsers and signed senders to the service that owns their answer: JSON, raw bytes or a stream.
 * Unlike `ServiceHttp`, `call` returns rejections instead of throwing them, and reads the headers with which the
 * account service begins and ends sessions, because only the dashboard uses cookies.
 */
export class ServiceProxy {
  private readonly ofBrowsers: ServicePool;
  private readonly ofSessions: ServicePool;
  private readonly shares = new CallShares(OF_ONE_CONNECTIONS);
  private readonly ofLongCalls: ServicePool;
  private readonly longShares = new CallShares(LONG_CALLS_OF_ONE);
  private readonly sessionShares = new CallShares(SESSION_CHECKS_OF_ONE);
  private readonly ofSenders: ServicePool;
  /** The connections for uploads and downloads, which last as long as data is transferred. */
  private readonly ofTransfers: ServicePool;

  constructor(private readonly options: ServiceProxyOptions) {
    const { service: audience, url, tokens } = options;
    const open = (connections: number) =>
      new ServicePool({ audience, url, tls: tokens.tls, connections });
    this.ofBrowsers = open(BROWSER_CONNECTIONS);
    this.ofLongCalls = open(LONG_CONNECTIONS);
    this.ofSessions = open(SESSION_CONNECTIONS);
    this.ofSenders = open(SENDER_CONNECTIONS);
    this.ofTransfers = open(TRANSFER_CONNECTIONS);
  }

  /**
   * Returns an answer in JSON.
   * @throws ServiceUnavailable if the owner cannot be reached, is late or answers with something else; TooManyCalls if
   *   too many calls of the same account or network are already waiting; TooManyChanges.
   */
  async call(call: ProxiedCall): Promise<ProxiedAnswer> {
    const { service, metrics } = this.options;
    this.checkPace(call);
    return metrics ? metrics.proxied(service, () => this.answerTo(call)) : this.answerTo(call);
  }

  /**
   * Limits how often an account changes something. The account service, which reads the session itself, has limits of
   * its own, and revoking access is never limited. Lookups and searches have the limits of the plan.
   * @throws TooManyChanges.
   */
  private checkPace({ method, accountId }: ProxiedCall): void {
    const { changes, service } = this.options;
    if (!changes || accountId === undefined || method === 'GET' || service === 'gateway') return;
    const waitMs = changes.take(accountId);
    if (waitMs > 0) throw new TooManyChanges(Math.ceil(waitMs / SECOND_MS));
  }

  private async answerTo(call: ProxiedCall): Promise<ProxiedAnswer> {
    const { service } = this.options;
    let sent: Sent | undefined;
    try {
      sent = await this.send(call);
      const { statusCode, headers, body } = sent.answer;
      const text = await textWithin(body, call.answerBytes ?? JSON_LIMIT_BYTES);
      const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
      return {
        status: statusCode,
        body: answer,
        refusal: statusCode < 400 ? undefined : refusalOf(answer, headers, service),
        beginsSession: single(headers['x-set-session']),
        beginsStep: single(headers['x-set-step']),
        deviceToken: single(headers['x-set-device']),
        endsSession: headers['x-clear-session'] !== undefined,
      };
    } catch (error) {
      throw error instanceof TooManyCalls ? error : new ServiceUnavailable(service, error);
    } finally {
      sent?.leave();
    }
  }

  /**
   * Returns an answer of any type and size, which the caller must read or destroy. The time limit applies to the whole
   * answer.
   * @throws the owner's rejection; the errors of `call`.
   */
  async stream(call: ProxiedCall): Promise<Readable> {
    const { service, metrics } = this.options;
    return metrics ? metrics.callOf(service, () => this.streamOf(call)) : this.streamOf(call);
  }

  private async streamOf(call: ProxiedCall): Promise<Readable> {
    const { service } = this.options;
    let refusal: unknown;
    try {
      const { answer, leave } = await this.send(call);
      const { statusCode, body } = answer;
      // The reader also gets the stream's errors. Without this handler, an error in an abandoned stream would end the
      // process.
      body.on('error', () => {}).once('close', leave);
      if (statusCode < 400) return body;
      refusal = JSON.parse(await textWithin(body, JSON_LIMIT_BYTES));
    } catch (error) {
      throw error instanceof TooManyCalls ? error : new ServiceUnavailable(service, error);
    }
    throw problemOf(refusal, service);
  }

  /** Returns the connections and headers for an upload to, or a download from, this owner. */
  transferOf(call: ProxiedCall): Pick<TransferCall, 'dispatcher' | 'headers'> {
    return { dispatcher: this.ofTransfers, headers: this.headersOf({ ...call, body: undefined }) };
  }

  async close(): Promise<void> {
    const { ofBrowsers, ofLongCalls, ofSessions, ofSenders, ofTransfers } = this;
    const pools = [ofBrowsers, ofLongCalls, ofSessions, ofSenders, ofTransfers];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  private async send(call: ProxiedCall): Promise<Sent> {
    const signal = AbortSignal.timeout(call.timeoutMs ?? TIMEOUT_MS);
    const { pool, shares } = this.wayOf(call);
    const holder = call.accountId ?? siteOf(call.visitor.clientAddress);
    await shares?.enter(holder, signal);
    const leave = () => shares?.leave(holder);
    const { method, path, body } = call;
    try {
      const answer = await pool.request({
        method,
        path,
        headers: this.headersOf(call),
        body: body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body),
        signal,
      });
      return { answer, leave };
    } catch (error) {
      leave();
      throw error;
    }
  }

  /**
   * Chooses the connections for a call. Calls with a sender's signature are not divided into shares, because only the
   * called service can tell the senders apart.
   */
  private wayOf({ headers, isSessionCheck, timeoutMs = TIMEOUT_MS }: ProxiedCall): {
    pool: ServicePool;
    shares?: CallShares;
  } {
    if (headers !== undefined) return { pool: this.ofSenders };
    if (isSessionCheck) return { pool: this.ofSessions, shares: this.sessionShares };
    if (timeoutMs > TIMEOUT_MS) return { pool: this.ofLongCalls, shares: this.longShares };
    return { pool: this.ofBrowsers, shares: this.shares };
  }

  /**
   * Returns the headers of a call. The dashboard's own headers take precedence over the sender's, so no external header
   * can identify the caller.
   */
  private headersOf({ visitor, accountId, body, headers, idempotencyKey }: ProxiedCall) {
    const { tokens, service } = this.options;
    const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
    return {
      ...headers,
      authorization: `Bearer ${tokens.issue('dashboard', service)}`,
      'x-client-address': visitor.clientAddress,
      'x-request-id': visitor.requestId,
      ...(body !== undefined && { 'content-type': type }),
      ...(accountId && { 'x-account-id': accountId }),
      ...(service === 'account' && sessionHeaders(visitor)),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
    };
  }
}

/** Returns headers with the browser's tokens, which only the account service can verify, and with its user agent. */
function sessionHeaders({ sessionToken, deviceToken, stepToken, userAgent }: BrowserCaller) {
  return {
    ...(sessionToken && { 'x-session-token': sessionToken }),
    ...(deviceToken && { 'x-device-token': deviceToken }),
    ...(stepToken && { 'x-step-token': stepToken }),
    ...(userAgent && { 'x-user-agent': userAgent }),
  };
}

/**
 * Reads a body as text.
 * @throws Error if it exceeds the limit.
 */
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

/** @returns the rejection in an answer, with the wait from its `Retry-After`. */
function refusalOf(
  answer: unknown,
  { 'retry-after': header }: Dispatcher.ResponseData['headers'],
  service: ServiceName,
): Problem {
  const seconds = Number(single(header));
  const wait = seconds > 0 ? { retry_after: seconds } : undefined;
  return problemOf(answer && { ...wait, ...(answer as object) }, service);
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
