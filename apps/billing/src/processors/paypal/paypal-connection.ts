import { type Clock, SECOND_MS } from '#libs/platform';
import type { CallRate } from '../call-rate.js';

export interface PaypalAccess {
  /** `https://api-m.paypal.com`, PayPal's sandbox, or a simulator. */
  apiUrl: string;
  clientId: string;
  clientSecret: () => string;
  rate: CallRate;
  clock: Clock;
}

export class PaypalRefusal extends Error {
  constructor(
    readonly status: number,
    /** The issue as named in PayPal's documentation, or the error's name. */
    readonly issue: string,
    message: string,
  ) {
    super(message);
  }
}

/** An error for a call that got no answer, or an unreadable answer. The call may or may not have been carried out. */
export class PaypalUnreachable extends Error {}

export interface PaypalCall {
  body?: object;
  /** The `PayPal-Request-Id`. A repeated call with the same key is carried out once. */
  key?: string;
}

type Method = 'GET' | 'POST' | 'PATCH';

const TIMEOUT_MS = 10 * SECOND_MS;
const ANSWER_MAX_BYTES = 1024 * 1024;
/** The time before its expiry at which a token is no longer used. */
const TOKEN_MARGIN_MS = 60 * SECOND_MS;
const ISSUE = /^[A-Z][A-Z0-9_]{0,99}$/;

/** Calls PayPal's REST API with one token for all calls, limits on time and size, and no redirects. */
export class PaypalConnection {
  private token: { value: string; until: Date } | undefined;
  private asking: Promise<string> | undefined;

  constructor(private readonly access: PaypalAccess) {}

  /**
   * Sends one call. A token that PayPal no longer accepts is replaced once; nothing else is retried here.
   * @returns undefined for an answer without a body.
   * @throws PaypalRefusal, PaypalUnreachable.
   */
  async call<T>(method: Method, path: string, call: PaypalCall = {}): Promise<T> {
    try {
      return await this.callOnce<T>(method, path, call);
    } catch (error) {
      if (!(error instanceof PaypalRefusal) || error.status !== 401) throw error;
      this.token = undefined;
      return this.callOnce<T>(method, path, call);
    }
  }

  /**
   * Reads text from a URL that the caller trusts, without sending our token; undefined if there is nothing at the URL.
   * @throws PaypalUnreachable.
   */
  async read(url: string, timeoutMs: number): Promise<string | undefined> {
    const { status, text } = await exchange(url, {}, timeoutMs);
    if ([400, 403, 404, 410].includes(status)) return undefined;
    if (status !== 200) throw new PaypalUnreachable(`${url} answered ${status}`);
    return text;
  }

  private async callOnce<T>(method: Method, path: string, { body, key }: PaypalCall): Promise<T> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${await this.currentToken()}`,
      accept: 'application/json',
      prefer: 'return=representation',
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'paypal-request-id': key }),
    };
    const request = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return answerOf<T>(await this.inTurn(`${this.access.apiUrl}${path}`, request));
  }

  private async currentToken(): Promise<string> {
    const { token } = this;
    if (token && this.access.clock.now() < token.until) return token.value;
    this.asking ??= this.askToken().finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async inTurn(url: string, request: RequestInit): Promise<Answer> {
    try {
      await this.access.rate.turn();
    } catch (error) {
      throw new PaypalUnreachable(String(error), { cause: error });
    }
    return exchange(url, request);
  }

  /** Fetches a token for the client credentials (OAuth 2.0, RFC 6749 §4.4). */
  private async askToken(): Promise<string> {
    const { apiUrl, clientId, clientSecret, clock } = this.access;
    const askedAt = clock.now();
    const credentials = Buffer.from(`${clientId}:${clientSecret()}`).toString('base64');
    const answer = await this.inTurn(`${apiUrl}/v1/oauth2/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    });
    const { access_token: value, expires_in: seconds } = answerOf<Record<string, unknown>>(answer);
    if (typeof value !== 'string' || !/^[\x21-\x7e]{1,4096}$/.test(value)) {
      throw new PaypalUnreachable('PayPal gave no token');
    }
    const livesMs = (Number(seconds) || 0) * SECOND_MS - TOKEN_MARGIN_MS;
    this.token = { value, until: new Date(askedAt.getTime() + livesMs) };
    return value;
  }
}

interface Answer {
  status: number;
  text: string;
}

async function exchange(
  url: string,
  request: RequestInit,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...request, signal, redirect: 'error' });
    return { status: response.status, text: await textOf(response) };
  } catch (error) {
    throw new PaypalUnreachable(`no answer from PayPal: ${String(error)}`, { cause: error });
  }
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > ANSWER_MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerOf<T>({ status, text }: Answer): T {
  const isGood = status >= 200 && status < 300;
  if (isGood && text === '') return undefined as T;
  let body: unknown;
  try {
    // A member that is null counts as missing.
    body = JSON.parse(text, (_, value: unknown) => value ?? undefined);
  } catch {
    // A refusal without a readable reason is still a refusal.
    if (isGood || status >= 500) throw new PaypalUnreachable(`PayPal answered ${status}, no JSON`);
  }
  if (isGood && typeof body === 'object' && body !== null) return body as T;
  if (status < 400 || status >= 500) throw new PaypalUnreachable(`PayPal answered ${status}`);
  throw refusalOf(status, body);
}

/** Reads the issue from `{name, message, details: [{issue, description}]}`, or from the token endpoint's `{error}`. */
function refusalOf(status: number, body: unknown): PaypalRefusal {
  const { name, error, message, details } = (body ?? {}) as Record<string, unknown>;
  const [detail] = Array.isArray(details) ? (details as unknown[]) : [];
  const { issue, description } = (detail ?? {}) as Record<string, unknown>;
  const [code = 'REFUSED'] = [issue, name, String(error).toUpperCase()].filter(
    (word) => typeof word === 'string' && ISSUE.test(word),
  );
  const [text = 'PayPal refused the call'] = [description, message].filter(
    (words) => typeof words === 'string',
  );
  return new PaypalRefusal(status, String(code), String(text).slice(0, 500));
}
