import { Agent, request, type buildConnector, type Dispatcher } from 'undici';
import { countInformational } from '../safe-connect/answer-limits.js';
import { ConnectionError } from '../safe-connect/connection-error.js';
import { Deadline } from '../safe-connect/deadline.js';
import type { SafeConnector } from '../safe-connect/safe-connector.js';
import { meaningOfNotFound } from './absence/absence.js';
import type { JsonObject } from './json-reading.js';
import { KnownServices } from './known-services.js';
import { domainQueried, rdapUrl } from './rdap-url.js';

export interface RdapLimits {
  /** The time limit for connecting; by default 5,000. */
  connectMs: number;
  /** The time limit from the request to the headers of the answer, including connecting; by default 8,000. */
  firstByteMs: number;
  /** The time limit from the start to the end of the last hop's answer; by default 15,000. */
  wholeMs: number;
  /** The maximum size of an answer's body; by default 2,097,152. */
  sizeBytes: number;
  /** The maximum number of redirects; by default 3. */
  redirects: number;
}

export type RdapAnswer =
  /** `movedTo` is the URL that answered, if it is not the first one. */
  | { kind: 'object'; status: number; text: string; json: JsonObject; movedTo?: string }
  /** The service speaks RDAP and does not have the object, or says why the name is withheld. */
  | { kind: 'not_found'; status: number; text: string; movedTo?: string }
  | { kind: 'throttled'; status: number; retryAfterSeconds?: number }
  /**
   * `not_rdap`, `too_large`, `bad_redirect`, `no_turn`, `too_many_redirects`, `http_<status>`; for a 404 whose body is
   * not about the object, `outage` or `refused`.
   */
  | { kind: 'failed'; status: number; fault: string };

export interface RdapFetch {
  signal?: AbortSignal;
  /** Waits for a turn at a host to which an answer redirects. False means that the host is not queried. */
  redirected?: (host: string, signal: AbortSignal) => Promise<boolean>;
}

type Response = Dispatcher.ResponseData;
/** The URL that answered, and the domain name in the first URL; the name is empty for other objects. */
interface Question {
  url: URL;
  asked: string;
}
type Target = buildConnector.Options;

const DEFAULTS: RdapLimits = {
  connectMs: 5_000,
  firstByteMs: 8_000,
  wholeMs: 15_000,
  sizeBytes: 2 * 1024 * 1024,
  redirects: 3,
};

/** Maximum number of connections to one host. By default, `UpstreamLimiter` allows only four. */
const CONNECTIONS_PER_HOST = 64;

const NESTING_MAX = 64;
/** Maximum number of values in an answer. A normal answer has hundreds; the time to read it depends on them. */
const VALUES_MAX = 50_000;
/**
 * Maximum length of a "not found". A normal one is a hundred times shorter. Its meaning decides how the exchange ends,
 * so its texts are read here and not in the parser's thread, and delay all other lookups meanwhile.
 */
const NOT_FOUND_LENGTH_MAX = 64 * 1024;
/** The maximum size of everything in an answer besides its body. */
const AROUND_BODY_BYTES = 256 * 1024;

const RDAP_TYPE = /^application\/rdap\+json\s*(?:;|$)/i;

/** Statuses that show whether there is a resource at a URL. */
const DEFINITE: ReadonlySet<number> = new Set([200, 400, 404, 405, 410]);

/** The members of an error (RFC 9083 §6), and those of every answer (§4). */
const ERROR: ReadonlySet<string> = new Set(
  'errorCode title description lang links notices remarks port43 status'.split(' '),
);

/** Queries RDAP services (RFC 7480, RFC 9082) over HTTP/1.1 with TLS, and keeps connections open for a while. */
export class RdapClient {
  private readonly limits: RdapLimits;
  private readonly agent: Agent;
  private readonly services = new KnownServices();

  constructor(connector: SafeConnector, limits: Partial<RdapLimits> = {}) {
    this.limits = { ...DEFAULTS, ...limits };
    const { connectMs: timeoutMs, sizeBytes } = this.limits;
    const options = { timeoutMs, answerBytesMax: sizeBytes + AROUND_BODY_BYTES };
    const open = async ({ hostname, port }: Target, callback: buildConnector.Callback) => {
      try {
        const number = port === '' ? 443 : Number(port);
        callback(null, await connector.safeConnect(hostname, number, 'rdap', options));
      } catch (error) {
        callback(ConnectionError.from(error), null);
      }
    };
    this.agent = new Agent({
      connections: CONNECTIONS_PER_HOST,
      connect: (target, callback) => void open(target, callback),
    });
  }

  /**
   * Fetches one object. Follows redirects (RFC 7480 §5.2), and checks each of them like the first URL. What counts is
   * the body, not its media type: HTML with status 200 is not an answer.
   *
   * @throws ConnectionError if a hop could not be reached, broke off or did not answer in time, or if `signal` aborts.
   */
  async fetch(url: string, { signal, redirected }: RdapFetch = {}): Promise<RdapAnswer> {
    const ended = new Deadline(this.limits.wholeMs, 'answer_timeout', signal);
    try {
      return await this.follow(url, ended.signal, redirected);
    } catch (error) {
      throw ConnectionError.from(error);
    } finally {
      ended.clear();
    }
  }

  /** Closes the connections that were kept open. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async follow(
    start: string,
    signal: AbortSignal,
    redirected: RdapFetch['redirected'],
  ): Promise<RdapAnswer> {
    let url = rdapUrl(start);
    for (let hop = 0; hop <= this.limits.redirects; hop += 1) {
      if (url === undefined) return { kind: 'failed', status: 0, fault: 'bad_redirect' };
      if (hop > 0 && (await redirected?.(url.hostname, signal)) === false) {
        return { kind: 'failed', status: 0, fault: 'no_turn' };
      }
      const response = await this.ask(url, signal);
      const { location } = response.headers;
      if (![301, 302, 303, 307, 308].includes(response.statusCode)) {
        const asked = domainQueried(new URL(start)) ?? '';
        const answer = await this.read(response, { url, asked }, signal);
        return hop > 0 && 'text' in answer ? { ...answer, movedTo: url.href } : answer;
      }
      discard(response);
      url = rdapUrl(String(location ?? ''), url);
    }
    return { kind: 'failed', status: 0, fault: 'too_many_redirects' };
  }

  private async ask(url: URL, signal: AbortSignal): Promise<Response> {
    const head = new Deadline(this.limits.firstByteMs, 'first_byte_timeout', signal);
    try {
      return await request(url, {
        dispatcher: this.agent,
        // Aborting would also end the body, so this deadline is cancelled once the headers have arrived.
        signal: head.signal,
        onInfo: countInformational(),
        headers: {
          accept: 'application/rdap+json, application/json;q=0.9',
          'accept-encoding': 'identity',
          'user-agent': 'domain-data-service',
        },
      });
    } finally {
      head.clearTimer();
    }
  }

  private async read(
    response: Response,
    question: Question,
    signal: AbortSignal,
  ): Promise<RdapAnswer> {
    const { statusCode: status, headers } = response;
    const throttled = throttleIn(response);
    if (throttled !== undefined) {
      discard(response);
      return throttled;
    }
    if (status !== 200 && status !== 404) {
      discard(response);
      return { kind: 'failed', status, fault: `http_${status}` };
    }
    const text = await this.body(response);
    if (text === undefined) return { kind: 'failed', status, fault: 'too_large' };
    const isDeclared = RDAP_TYPE.test(one(headers['content-type']) ?? '');
    const json = jsonObject(text);
    const isEmpty = text.trim() === '' ? isWhole(response) : isEmptyObject(json);
    if (status === 404 && isEmpty) {
      if (!isDeclared && !(await this.isTypelessRdap(response, question.url, signal))) {
        return { kind: 'failed', status, fault: 'not_rdap' };
      }
      return notFound(status, text, question);
    }
    if (json === undefined) return { kind: 'failed', status, fault: 'not_rdap' };
    const answer = sniff(status, text, json, { ...question, isDeclared });
    if (answer.kind !== 'failed' && isConforming(json, isDeclared)) {
      this.services.note(question.url);
    }
    return answer;
  }

  /**
   * Returns whether an empty answer that is not declared as RDAP comes from an RDAP service. With another media type,
   * it comes from a gateway; without a media type, it may come from an RDAP service, if there is one at the base URL.
   */
  private async isTypelessRdap({ headers }: Response, url: URL, signal: AbortSignal) {
    if ((one(headers['content-type']) ?? '') !== '') return false;
    return this.services.isKnown(url, (help, helpSignal) => this.isHelp(help, helpSignal), signal);
  }

  /**
   * Returns whether a URL answers like the help of an RDAP service (RFC 9082 §3.1.6); undefined for a temporary answer,
   * such as the answer to too many queries.
   */
  private async isHelp(url: URL, signal: AbortSignal): Promise<boolean | undefined> {
    const response = await this.ask(url, signal);
    const text = response.statusCode === 200 ? await this.body(response) : '';
    discard(response);
    if (!DEFINITE.has(response.statusCode)) return undefined;
    return conforms(jsonObject(text ?? ''));
  }

  /** Returns the body as text; undefined if it is larger than allowed. */
  private async body(response: Response): Promise<string | undefined> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      // Leaving the loop destroys the body and so the connection.
      if (size > this.limits.sizeBytes) return undefined;
    }
    return new TextDecoder().decode(Buffer.concat(chunks));
  }
}

/**
 * Returns the seconds of a `Retry-After` field (RFC 9110 §10.2.3): a number, or a date, which is compared with the
 * server's own `Date`, so that clocks may differ. @returns undefined for anything else.
 */
export function retryAfterSeconds(
  retryAfter: string | undefined,
  date: string | undefined,
): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const seconds = Math.ceil((Date.parse(retryAfter) - Date.parse(date ?? '')) / 1000);
  return seconds >= 0 ? seconds : undefined;
}

function one(field: string | string[] | undefined): string | undefined {
  return typeof field === 'string' ? field : field?.[0];
}

/** Destroys a body that is not read, because it would keep its connection busy. */
function discard(response: Response): void {
  response.body.on('error', () => undefined).destroy();
}

/**
 * Distinguishes an RDAP answer from an answer of another service by the body. A 404 means "not found" only if the body
 * is an RDAP error (RFC 9083 §6) about the object: web servers and gateways also answer 404 for unknown paths, and some
 * servers for too many queries or for another registry's name.
 */
function sniff(
  status: number,
  text: string,
  json: JsonObject,
  { isDeclared, ...question }: Question & { isDeclared: boolean },
): RdapAnswer {
  const errorCode = Number(json['errorCode'] ?? status);
  if (errorCode === 404) {
    if (!isRdapError(json, isDeclared)) return { kind: 'failed', status, fault: 'not_rdap' };
    if (text.length > NOT_FOUND_LENGTH_MAX) return { kind: 'failed', status, fault: 'too_large' };
    const meaning = meaningOfNotFound(json, question.asked, question.url.hostname);
    if (meaning === 'throttled') return { kind: 'throttled', status };
    if (meaning === 'absent' || meaning === 'kept_back') return notFound(status, text, question);
    return { kind: 'failed', status, fault: meaning === 'outage' ? 'outage' : 'refused' };
  }
  if (errorCode === 429) return { kind: 'throttled', status };
  if (errorCode !== 200) return { kind: 'failed', status, fault: `http_${errorCode}` };
  return { kind: 'object', status, text, json };
}

/**
 * Returns "not found" if the answer is about the requested name, otherwise a failure: redirects must lead to the same
 * query elsewhere (RFC 7480 §5.2).
 */
function notFound(status: number, text: string, { url, asked }: Question): RdapAnswer {
  return (domainQueried(url) ?? '') === asked
    ? { kind: 'not_found', status, text }
    : { kind: 'failed', status, fault: 'refused' };
}

/**
 * Recognises a rate limit by the status, or by a time after which to retry. A 404 with such a time does not mean that
 * the object is missing.
 * @returns undefined for any other answer.
 */
function throttleIn({ statusCode: status, headers }: Response): RdapAnswer | undefined {
  const asked = retryAfterSeconds(one(headers['retry-after']), one(headers['date']));
  const isLater = status === 404 && headers['retry-after'] !== undefined;
  if (status !== 429 && !isLater && (status !== 503 || asked === undefined)) return undefined;
  return {
    kind: 'throttled',
    status,
    ...(asked === undefined ? {} : { retryAfterSeconds: asked }),
  };
}

/** True if the end of a body is marked, so that an empty body is certainly complete. */
const isWhole = ({ headers }: Response): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

const isEmptyObject = (json: JsonObject | undefined): boolean =>
  json !== undefined && Object.keys(json).length === 0;

/** True if a body names the RDAP extensions to which it conforms (RFC 9083 §4.1). */
function conforms(json: JsonObject | undefined): boolean {
  const names = json?.['rdapConformance'];
  return (
    Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string')
  );
}

/**
 * True for an RDAP error. A media type alone may be a gateway's default. Other APIs also have an `errorCode`, but not
 * among these members.
 */
function isRdapError(json: JsonObject, isDeclared: boolean): boolean {
  if ('rdapConformance' in json) return true;
  return 'errorCode' in json && (isDeclared || Object.keys(json).every((it) => ERROR.has(it)));
}

function isConforming(json: JsonObject, isDeclared: boolean): boolean {
  return conforms(json) || (isDeclared && 'objectClassName' in json);
}

/**
 * True if a JSON text is not nested too deeply for code that walks it recursively, and does not have too many values. A
 * normal answer has at most about a dozen levels.
 */
function isOrdinary(text: string): boolean {
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (isString) {
      if (letter === '\\') at++;
      else if (letter === '"') isString = false;
    } else if (letter === '"') isString = true;
    else if (letter === ',') values += 1;
    else if (letter === '[' || letter === '{') {
      values += 1;
      depth += 1;
    } else if (letter === ']' || letter === '}') depth -= 1;
    if (depth > NESTING_MAX || values > VALUES_MAX) return false;
  }
  return true;
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const json: unknown = isOrdinary(text) ? JSON.parse(text) : undefined;
    return typeof json === 'object' && json !== null && !Array.isArray(json)
      ? (json as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
