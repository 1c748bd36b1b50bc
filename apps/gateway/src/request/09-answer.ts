import { Problem, type ProblemBody, ServiceUnavailable } from '#libs/platform';
import {
  CATALOGUE_VERSION,
  isOutcomeCharged,
  isSourceCharged,
  outcomeOf,
  sourceOf,
} from '#libs/contracts';
import type { RequestContext } from '../context/request-context.js';
import { BASE_HEADERS, headerLines } from '../context/header-lines.js';
import type { ProblemBodies } from '../problems/problem-body.js';
import type { OwnerHeaders, OwnerAnswer } from '../owners/owner-answer.js';

/** What the answers need to know of the installation. */
export interface AnswerSettings {
  bodies: ProblemBodies;
  /** How long after its beginning a request's stream ends, taken or not, in milliseconds. */
  streamMs: number;
}

const BASE_LINES = headerLines(BASE_HEADERS);
const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\r\n';
const PROBLEM_TYPE = 'Content-Type: application/problem+json\r\n';
const CLOSING_BRACE = 0x7d;
const NANOSECONDS = '000000000';
/** As `RateLimit-Policy` says; the counter keeps a second more, so that no minute holds too many. */
const WINDOW_SECONDS = 60;
/** Statuses of refusals that are the owner's word to the customer; others are between us. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 404, 409, 413, 422, 503, 504]);

/**
 * Step 9a: what the answer costs. Only an answer to the question is charged; words of a newer owner that this
 * build does not know are free.
 */
export function creditsFor({ headers }: OwnerAnswer, context: RequestContext): number {
  const outcome = outcomeOf(headers.outcome);
  const source = sourceOf(headers.servedFrom);
  if (headers.status !== 200 || outcome === undefined || source === undefined) return 0;
  if (!isSourceCharged(source)) return 0;
  if (context.route.operation.price.per !== 'item') {
    return isOutcomeCharged(outcome) ? context.cost : 0;
  }
  // Never more than was reserved, whatever the owner counts.
  return Math.min(context.cost, (headers.chargedItems ?? 0) * context.eachPrice);
}

/** Step 9b: sends a data answer. `remaining` is the balance after it. */
export function sendAnswer(
  context: RequestContext,
  { headers: { age }, body }: OwnerAnswer,
  credits: number,
  remaining: number | undefined,
): void {
  let lines = answerLines(context, credits, remaining) + JSON_TYPE;
  if (age !== undefined) lines += `Age: ${age}\r\n`;
  const isWhole = !context.route.hasMeta || body.charCodeAt(body.length - 1) !== CLOSING_BRACE;
  const meta = isWhole ? '' : metaOf(context, { credits, remaining, isAlone: body.length === 2 });
  context.reply.sendWhole(200, lines, isWhole ? body : body.slice(0, -1) + meta);
}

/** The headers of an answer that is not one whole JSON object; what it costs is not known yet. */
export function streamHeaders(context: RequestContext, { location }: OwnerHeaders): string {
  const type = context.form.type;
  if (type === 'redirect') return answerLines(context, 0, undefined) + `Location: ${location}\r\n`;
  return answerLines(context, undefined, undefined) + `Content-Type: ${type}\r\n`;
}

/** The closing line of a streamed answer, with what it cost. @param line a JSON object. */
export function closingLine(
  context: RequestContext,
  line: string,
  credits: number,
  remaining: number | undefined,
): string {
  const isAlone = line.length === 2;
  return `${line.slice(0, -1)}${metaOf(context, { credits, remaining, isAlone })}\n`;
}

const ENDED_BY_PURCHASE = new Set(['insufficient_credits', 'key_paused', 'rate_limited']);

/** Step 9c: sends a refusal. */
export function sendProblem(
  context: RequestContext,
  problem: Problem,
  remaining: number | undefined,
  { bodies }: AnswerSettings,
): void {
  const { reply, requestId, rate } = context;
  const body = bodies.render(problem, { requestId, path: pathOf(context) });
  let lines = answerLines(context, 0, remaining) + PROBLEM_TYPE;
  const { status } = problem;
  if (status === 401) lines += 'WWW-Authenticate: Bearer realm="api"\r\n';
  if (ENDED_BY_PURCHASE.has(problem.code)) lines += `Link: ${bodies.linksOf(problem.code)}\r\n`;
  if (problem.code === 'rate_limited' && rate) {
    lines += `Retry-After: ${rate.resetSeconds}\r\n`;
  } else if (problem.retryAfterSeconds !== undefined) {
    lines += `Retry-After: ${problem.retryAfterSeconds}\r\n`;
  }
  reply.sendWhole(status, lines, body);
}

const BRACES = /\{(\w+)\}/g;

/** As it was asked for: what the request gave stands in place of the braces. */
function pathOf({ route: { path }, names, values }: RequestContext): string {
  if (!path.includes('{')) return path;
  return path.replace(BRACES, (braces, name: string) => {
    const given = values[names.indexOf(name)];
    return given === undefined ? braces : encodeURIComponent(given.toWellFormed());
  });
}

/** An owner's refusal as the problem it is; anything that is not one is our fault, not the customer's. */
export function problemOf(answer: OwnerAnswer, owner: string): Problem {
  const { status: answered } = answer.headers;
  const body = parse(answer.body);
  if (typeof body?.code !== 'string' || body.status !== answered) {
    return new ServiceUnavailable(owner);
  }
  if (!PASSED_ON.has(answered)) return new ServiceUnavailable(owner);
  const { code, status, detail, retryable, retry_after, errors } = body;
  // It becomes a header, where anything but a number would end the process.
  const retryAfterSeconds = isSeconds(retry_after) ? retry_after : undefined;
  return new Problem({ code, status, detail, retryable, retryAfterSeconds, errors });
}

function answerLines(
  { requestId, route, rate, rateLimit }: RequestContext,
  credits: number | undefined,
  remaining: number | undefined,
): string {
  let lines = `${BASE_LINES}X-Request-Id: ${requestId}\r\n`;
  if (credits !== undefined) lines += `X-Credits-Cost: ${credits}\r\n`;
  if (remaining !== undefined) lines += `X-Credits-Remaining: ${remaining}\r\n`;
  if (rate) {
    const name = route.rateName;
    const { remaining: left, resetSeconds } = rate;
    const seconds = Math.min(WINDOW_SECONDS, resetSeconds);
    lines +=
      `RateLimit-Policy: "${name}";q=${rateLimit};w=${WINDOW_SECONDS}\r\nRateLimit: "${name}";r=${left};t=${seconds}\r\n` +
      `x-ratelimit-allowed-requests: ${rateLimit}\r\nx-ratelimit-remaining-requests: ${left}\r\n` +
      `x-ratelimit-remaining-time: ${seconds}${NANOSECONDS}\r\n`;
  }
  return lines + route.versionLines;
}

function metaOf(
  { requestId, isRepeat }: RequestContext,
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
