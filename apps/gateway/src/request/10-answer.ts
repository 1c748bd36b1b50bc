import { Problem, type ProblemBody, ServiceUnavailable } from '#libs/platform';
import { CATALOGUE_VERSION } from '#libs/contracts';
import type { Exchange } from '../exchange/exchange.js';
import { MethodNotAllowed } from '../listener/listener.errors.js';
import type { ProblemBodies } from '../problems/problem-body.js';
import type { UpstreamAnswer } from '../upstream/lookup-call.js';

/** What the answers need to know of the installation. */
export interface AnswerSettings {
  bodies: ProblemBodies;
}

/** A set of the headers every answer of the API carries, as name and value in turn. */
export const BASE_HEADERS: readonly string[] = [
  'Cache-Control',
  'private, no-store',
  'Referrer-Policy',
  'no-referrer',
  'X-Content-Type-Options',
  'nosniff',
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  '*',
];

const CLOSING_BRACE = 0x7d;
const NANOSECONDS = '000000000';

/** Outcomes that are an answer to the customer's question, and so have a price. */
const CHARGED_OUTCOMES: ReadonlySet<string> = new Set([
  'delivered',
  'partial',
  'not_registered',
  'restricted',
]);
const FREE_SOURCES: ReadonlySet<string> = new Set(['stale_cache', 'fixture']);

/** Step 10a: what the answer costs. Only an answer to the question is charged, and a stale one is not. */
export function creditsFor({ head }: UpstreamAnswer, exchange: Exchange): number {
  const isCharged =
    head.status === 200 && CHARGED_OUTCOMES.has(head.outcome) && !FREE_SOURCES.has(head.servedFrom);
  return isCharged ? exchange.cost : 0;
}

/** Step 10b: sends a data answer. `remaining` is the balance after it. */
export function sendAnswer(
  exchange: Exchange,
  { head: { age }, body }: UpstreamAnswer,
  credits: number,
  remaining: number | undefined,
): void {
  const headers = answerHeaders(exchange, credits, remaining);
  if (age !== undefined) headers.push('Age', age);
  const isWhole =
    exchange.route.version === 1 || body.charCodeAt(body.length - 1) !== CLOSING_BRACE;
  const meta = isWhole ? '' : metaOf(exchange, { credits, remaining, isAlone: body.length === 2 });
  const end = isWhole ? body.length : body.length - 1;
  headers.push(
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    String(end + meta.length),
  );
  exchange.response.writeHead(200, headers);
  // Latin-1 keeps each byte as it is, and one string goes out in one write together with the headers.
  exchange.response.end(isWhole ? body : body.slice(0, end) + meta, 'latin1');
}

/** Step 10c: sends a refusal. */
export function sendProblem(
  exchange: Exchange,
  problem: Problem,
  remaining: number | undefined,
  { bodies }: AnswerSettings,
): void {
  const { response, requestId, route, rate } = exchange;
  const body = bodies.render(problem, { requestId, path: route.path });
  const headers = answerHeaders(exchange, 0, remaining);
  const { status } = problem;
  if (status === 401) headers.push('WWW-Authenticate', 'Bearer realm="api"');
  if (problem.code === 'rate_limited' && rate) {
    headers.push('Retry-After', String(rate.resetSeconds));
    headers.push('Link', `<${bodies.pageOf(problem.code)}>; rel="help"`);
  } else if (problem.retryAfterSeconds !== undefined) {
    headers.push('Retry-After', String(problem.retryAfterSeconds));
  }
  if (problem instanceof MethodNotAllowed) headers.push('Allow', problem.allow);
  headers.push(
    'Content-Type',
    'application/problem+json',
    'Content-Length',
    String(Buffer.byteLength(body)),
  );
  response.writeHead(status, headers);
  response.end(body);
}

/** Lookup's refusal as the problem it is; anything that is not one is our fault, not the customer's. */
export function problemOf(answer: UpstreamAnswer): Problem {
  const { status: answered } = answer.head;
  const body = parse(answer.body);
  if (typeof body?.code !== 'string' || body.status !== answered) {
    return new ServiceUnavailable('lookup');
  }
  if (![400, 422, 503, 504].includes(answered)) return new ServiceUnavailable('lookup');
  const { code, status, detail, retryable, retry_after, errors } = body;
  // It becomes a header: what is no number there would end the process.
  const retryAfterSeconds = isSeconds(retry_after) ? retry_after : undefined;
  return new Problem({ code, status, detail, retryable, retryAfterSeconds, errors });
}

function answerHeaders(
  { requestId, route, rate, rateLimit }: Exchange,
  credits: number,
  remaining: number | undefined,
): string[] {
  const headers = [...BASE_HEADERS, 'X-Request-Id', requestId, 'X-Credits-Cost', String(credits)];
  if (remaining !== undefined) headers.push('X-Credits-Remaining', String(remaining));
  if (rate) {
    const name = route.operation.class;
    const [left, seconds] = [String(rate.remaining), String(rate.resetSeconds)];
    const limit = String(rateLimit);
    headers.push('RateLimit-Policy', `"${name}";q=${limit};w=60`);
    headers.push('RateLimit', `"${name}";r=${left};t=${seconds}`);
    headers.push('x-ratelimit-allowed-requests', limit);
    headers.push('x-ratelimit-remaining-requests', left);
    headers.push('x-ratelimit-remaining-time', seconds + NANOSECONDS);
  }
  if (route.version === 1) headers.push(...route.versionHeaders);
  return headers;
}

function metaOf(
  { requestId, isRepeat }: Exchange,
  { credits, remaining, isAlone }: { credits: number; remaining?: number; isAlone: boolean },
): string {
  const balance = remaining === undefined ? '' : `,"credits_remaining":${remaining}`;
  const repeat = isRepeat ? ',"repeat":true' : '';
  return `${isAlone ? '' : ','}"meta":{"request_id":"${requestId}","credits_charged":${credits}${balance}${repeat},"price_version":"${CATALOGUE_VERSION}"}}`;
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function parse(body: string): ProblemBody | undefined {
  try {
    return JSON.parse(Buffer.from(body, 'latin1').toString('utf8')) as ProblemBody;
  } catch {
    return undefined;
  }
}
