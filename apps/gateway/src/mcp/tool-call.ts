import type { IncomingMessage } from 'node:http';
import { IDEMPOTENCY_MEMBER, type Operation, apiCallOf } from '#libs/contracts';
import type { RateLimitResult } from '#libs/counters';
import { type FieldError, InvalidRequest, NotFound, monotonicMs } from '#libs/platform';
import { URI_MAX_BYTES, UriTooLong } from '#libs/public-http';
import { type ApiRequest, type Reply, RequestContext } from '../context/request-context.js';
import type { RequestPath } from '../request/request-path.js';
import type { ApiPaths } from '../routes/api-paths.js';
import { type ApiRoute, isSimulated } from '../routes/api-route.js';

/** The answer of an operation. */
export interface ToolAnswer {
  status: number;
  text: string;
  /** What the headers of an answer over HTTP say. */
  remarks?: readonly string[];
  /** Whether the connection must be closed after the answer. */
  isLast?: boolean;
  /** Whether the call counts towards a rate limit, or failed because of an outage of ours. */
  isCounted?: boolean;
}

/** The request that brought a tool call. */
export interface ToolClient {
  request: IncomingMessage;
  /** The keys in the query. */
  keys: readonly string[];
  /** Set if the message counts towards the limit of its address. */
  rate?: RateLimitResult;
}

/** The headers of the client's request that also apply to the request for the operation. */
const CARRIED_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-forwarded-for',
]);

/** The texts of some errors refer to this header. */
const RETRY_AFTER = /^Retry-After: \d+(?=\r$)/m;

/**
 * Runs a tool call as a request for its operation, with the same checks, limits, charge and log as a request over HTTP.
 * @throws Problem if the arguments cannot be put into a request.
 */
export async function callTool(
  { paths, requestPath }: { paths: ApiPaths; requestPath: RequestPath },
  { request: client, keys, rate }: ToolClient,
  operation: Operation,
  given: Readonly<Record<string, unknown>>,
): Promise<ToolAnswer> {
  const { values, body, idempotencyKey } = inputOf(operation, given);
  const { url } = apiCallOf('', operation, { values, body });
  if (url.length > URI_MAX_BYTES) throw new UriTooLong(URI_MAX_BYTES);
  const [path, query = ''] = url.split('?');
  const exact = paths.find(path);
  const match = exact === undefined ? paths.match(path) : undefined;
  const route = (exact ?? match?.entry)?.routes.get(operation.method);
  if (route === undefined) throw new NotFound();
  const withKeys = [query, ...keys.map((key) => `apiKey=${encodeURIComponent(key)}`)];
  const carried = { query: withKeys.filter(Boolean).join('&'), match, body, rate };
  const request: ApiRequest = {
    rawHeaders: [
      ...carriedHeaders(client.rawHeaders),
      ...(idempotencyKey === undefined ? [] : ['Idempotency-Key', idempotencyKey]),
    ],
    socket: client.socket,
  };
  const { promise, resolve } = Promise.withResolvers<ToolAnswer>();
  const answerOf = (status: number, lines: string, bytes: string): ToolAnswer => {
    const text = Buffer.from(bytes, 'latin1').toString();
    const remarks = status < 400 ? remarksOn(operation, route) : RETRY_AFTER.exec(lines);
    return { status, text, remarks: remarks ?? [] };
  };
  const reply: Reply = {
    sendWhole: (...answer) => resolve(answerOf(...answer)),
    sendLast: (...answer) => resolve({ ...answerOf(...answer), isLast: true }),
  };
  const context = new RequestContext(request, reply, route, monotonicMs());
  requestPath.ask(context, carried);
  const answer = await promise;
  return { ...answer, isCounted: context.rate !== undefined || answer.status >= 500 };
}

/** @param route the first one of its path, which other operations may share. */
function remarksOn(operation: Operation, route: ApiRoute): string[] {
  const routes = [...(route.choice?.routes.values() ?? [])];
  const own = routes.find((one) => one.operation === operation) ?? route;
  return isSimulated(own) ? ['This installation simulates its data.'] : [];
}

function carriedHeaders(rawHeaders: readonly string[]): string[] {
  return rawHeaders.filter((_, place) =>
    CARRIED_HEADERS.has(rawHeaders[place - (place % 2)].toLowerCase()),
  );
}

interface ToolInput {
  values: Record<string, string>;
  body?: object;
  idempotencyKey?: string;
}

/** Divides a tool's arguments into parameters, body and idempotency key. @throws InvalidRequest naming every fault. */
function inputOf(row: Operation, given: Readonly<Record<string, unknown>>): ToolInput {
  const values: Record<string, string> = {};
  const input: ToolInput = { values };
  const faults: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const text = textOf(value);
    if (name === 'apiKey') {
      // An agent's arguments are stored in its conversation, and may come from a text that it has read.
      faults.push({ field: name, message: 'must not be an argument: send the key in a header' });
    } else if (name === 'body' && row.body) {
      if (isObject(value)) input.body = value;
      else faults.push({ field: name, message: 'must be an object' });
    } else if (text === undefined) {
      faults.push({ field: name, message: 'must be a text, a number, true, false or a list' });
    } else if (name === IDEMPOTENCY_MEMBER && row.takesIdempotencyKey) {
      input.idempotencyKey = text;
    } else {
      values[name] = text;
    }
  }
  for (const [name, { in: place }] of Object.entries(row.parameters)) {
    if (place === 'path' && !values[name]) faults.push({ field: name, message: 'is required' });
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
  return input;
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a value as text for a URL; undefined for an object or null. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!Array.isArray(value)) return undefined;
  const texts = value.map((one: unknown) => (Array.isArray(one) ? undefined : textOf(one)));
  return texts.includes(undefined) ? undefined : texts.join(',');
}
