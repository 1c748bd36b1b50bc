import { Pool } from 'undici';
import { problemOf } from '#libs/contracts';
import {
  InvalidRequest,
  type Problem,
  type ServiceTokens,
  ServiceUnavailable,
} from '#libs/platform';

/** What account must know of the browser behind a call. */
export interface Visitor {
  /** From the session cookie; absent before log-in. */
  sessionToken?: string;
  /** From the device cookie: this browser has logged in before. */
  deviceToken?: string;
  clientAddress: string;
  userAgent?: string;
  requestId: string;
}

export interface AccountCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/internal/dashboard`, with its query. */
  path: string;
  visitor: Visitor;
  body?: object;
  idempotencyKey?: string;
  /** Number of live keys the plan allows; sent with a key's creation. */
  keyAllowance?: number;
}

export interface AccountAnswer {
  status: number;
  body: unknown;
  /** Account's refusal in its own words, for an answer of 400 and above. */
  refusal?: Problem;
  /** Token of a session that begins with this answer. */
  beginsSession?: string;
  /** By which account will know this browser. */
  deviceToken?: string;
  endsSession: boolean;
}

const TIMEOUT_MS = 10_000;
const CONNECTIONS = 16;
const ANSWER_LIMIT_BYTES = 1024 * 1024;
/** What may travel in a header; account asks the same of it. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * The dashboard's calls to account. Unlike `ServiceHttp` it answers refusals instead of throwing them, and
 * reads the two headers by which account begins and ends sessions; cookies are known here alone.
 */
export class AccountRelay {
  private readonly pool: Pool;

  constructor(
    accountUrl: string,
    private readonly tokens: ServiceTokens,
  ) {
    this.pool = new Pool(accountUrl, {
      connections: CONNECTIONS,
      connectTimeout: 1_000,
      maxResponseSize: ANSWER_LIMIT_BYTES,
    });
  }

  /**
   * @throws ServiceUnavailable when account cannot be reached or answers with something else than JSON;
   *   InvalidRequest for an idempotency key that no header can carry.
   */
  async call(call: AccountCall): Promise<AccountAnswer> {
    if (call.idempotencyKey && !isIdempotencyKey(call.idempotencyKey)) {
      const message = 'must be 1 to 255 visible ASCII characters';
      throw new InvalidRequest([{ field: 'idempotency-key', message }]);
    }
    return this.request({ ...call, path: `/internal/dashboard${call.path}` });
  }

  /** The session behind the visitor's token, checked at account on each call; null without one. */
  async session(visitor: Visitor): Promise<Session | null> {
    if (!visitor.sessionToken) return null;
    const { status, body } = await this.request({
      method: 'GET',
      path: '/internal/sessions/current',
      visitor,
    });
    if (status !== 200) throw new ServiceUnavailable('account');
    return (body as { session: Session | null }).session;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async request(call: AccountCall): Promise<AccountAnswer> {
    try {
      const { statusCode, headers, body } = await this.pool.request({
        method: call.method,
        path: call.path,
        headers: this.headersOf(call),
        body: call.body === undefined ? null : JSON.stringify(call.body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await body.text();
      const answer = text === '' ? undefined : (JSON.parse(text) as unknown);
      return {
        status: statusCode,
        body: answer,
        refusal: statusCode < 400 ? undefined : problemOf(answer, 'account'),
        beginsSession: single(headers['x-set-session']),
        deviceToken: single(headers['x-set-device']),
        endsSession: headers['x-clear-session'] !== undefined,
      };
    } catch (error) {
      throw new ServiceUnavailable('account', error);
    }
  }

  private headersOf({ visitor, body, idempotencyKey, keyAllowance }: AccountCall) {
    return {
      authorization: `Bearer ${this.tokens.issue('gateway', 'account')}`,
      'x-client-address': visitor.clientAddress,
      'x-request-id': visitor.requestId,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(visitor.sessionToken && { 'x-session-token': visitor.sessionToken }),
      ...(visitor.deviceToken && { 'x-device-token': visitor.deviceToken }),
      ...(visitor.userAgent && { 'x-user-agent': visitor.userAgent }),
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...(keyAllowance !== undefined && { 'x-key-allowance': String(keyAllowance) }),
    };
  }
}

export interface Session {
  accountId: string;
  personId: string;
  accountState: 'active' | 'deleted' | 'erased';
}

/** A form's field may be anything when it was sent as JSON. */
function isIdempotencyKey(value: unknown): boolean {
  return typeof value === 'string' && IDEMPOTENCY_KEY.test(value);
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
