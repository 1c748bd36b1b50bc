import { Problem, type ProblemBody, ServiceUnavailable } from '#libs/platform';
import { CATALOGUE_VERSION } from '#libs/contracts';
import { headerLines } from '../exchange/api-response.js';
import type { Exchange } from '../exchange/exchange.js';
import type { ProblemBodies } from '../problems/problem-body.js';
import type { LookupAnswer } from '../lookup/lookup-call.js';

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

const BASE_LINES = headerLines(BASE_HEADERS);
const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\r\n';
const PROBLEM_TYPE = 'Content-Type: application/problem+json\r\n';
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
export function creditsFor({ head }: LookupAnswer, exchange: Exchange): number {
  const isCharged =
    head.status === 200 && CHARGED_OUTCOMES.has(head.outcome) && !FREE_SOURCES.has(head.servedFrom);
  return isCharged ? exchange.cost : 0;
}

/** Step 10b: sends a data answer. `remaining` is the balance after it. */
export function sendAnswer(
  exchange: Exchange,
  { head: { age }, body }: LookupAnswer,
  credits: number,
  remaining: number | undefined,
): void {
  let lines = answerLines(exchange, credits, remaining) + JSON_TYPE;
  if (age !== undefined) lines += `Age: ${age}\r\n`;
  const isWhole =
    exchange.route.version === 1 || body.charCodeAt(body.length - 1) !== CLOSING_BRACE;
  const meta = isWhole ? '' : metaOf(exchange, { credits, remaining, isAlone: body.length === 2 });
  exchange.reply.sendWhole(200, lines, isWhole ? body : body.slice(0, -1) + meta);
}

/** Step 10c: sends a refusal. */
export function sendProblem(
  exchange: Exchange,
  problem: Problem,
  remaining: number | undefined,
  { bodies }: AnswerSettings,
): void {
  const { reply, requestId, route, rate } = exchange;
  const body = bodies.render(problem, { requestId, path: route.path });
  let lines = answerLines(exchange, 0, remaining) + PROBLEM_TYPE;
  const { status } = problem;
  if (status === 401) lines += 'WWW-Authenticate: Bearer realm="api"\r\n';
  if (problem.code === 'rate_limited' && rate) {
    lines += `Retry-After: ${rate.resetSeconds}\r\nLink: <${bodies.pageOf(problem.code)}>; rel="help"\r\n`;
  } else if (problem.retryAfterSeconds !== undefined) {
    lines += `Retry-After: ${problem.retryAfterSeconds}\r\n`;
  }
  reply.sendWhole(status, lines, body);
}

/** Lookup's refusal as the problem it is; anything that is not one is our fault, not the customer's. */
export function problemOf(answer: LookupAnswer): Problem {
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

function answerLines(
  { requestId, route, rate, rateLimit }: Exchange,
  credits: number,
  remaining: number | undefined,
): string {
  let lines = `${BASE_LINES}X-Request-Id: ${requestId}\r\nX-Credits-Cost: ${credits}\r\n`;
  if (remaining !== undefined) lines += `X-Credits-Remaining: ${remaining}\r\n`;
  if (rate) {
    const name = route.operation.class;
    const { remaining: left, resetSeconds: seconds } = rate;
    lines +=
      `RateLimit-Policy: "${name}";q=${rateLimit};w=60\r\nRateLimit: "${name}";r=${left};t=${seconds}\r\n` +
      `x-ratelimit-allowed-requests: ${rateLimit}\r\nx-ratelimit-remaining-requests: ${left}\r\n` +
      `x-ratelimit-remaining-time: ${seconds}${NANOSECONDS}\r\n`;
  }
  return lines + route.versionLines;
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
