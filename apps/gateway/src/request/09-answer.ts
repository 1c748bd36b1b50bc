import { ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { type Problem, ServiceUnavailable, makeUnimportant } from '#libs/platform';
import { type ProblemBodies, ownersProblem } from '#libs/public-http';
import { answerLines, metaOf } from '../answers/answer-lines.js';
import { senderOf } from '../context/client-address.js';
import type { RequestContext } from '../context/request-context.js';
import { type OwnerAnswer, bodyOf } from '../context/owner-answer.js';
import type { RefusalDelays } from '../rate-limits/refusal-delays.js';
import type { RefusedConnections } from '../rate-limits/refused-connections.js';

export interface AnswerSettings {
  bodies: ProblemBodies;
  refusedConnections: RefusedConnections;
  refusalDelays: RefusalDelays;
  trustedProxies: BlockList;
  /**
   * Maximum duration of a stream from the start of its request, in milliseconds. The stream then ends even if the
   * client has not read everything.
   */
  streamMs: number;
}

const JSON_TYPE = 'Content-Type: application/json; charset=utf-8\r\n';
const PROBLEM_TYPE = 'Content-Type: application/problem+json\r\n';
const CLOSING_BRACE = 0x7d;
/** The statuses of rejections by an owner that concern the customer; all others concern only the services. */
const PASSED_ON: ReadonlySet<number> = new Set([
  400, 402, 403, 404, 409, 410, 413, 416, 422, 429, 503, 504,
]);

/** Step 9a: sends an answer with data. `remaining` is the balance after this request. */
export function sendAnswer(
  context: RequestContext,
  answer: OwnerAnswer,
  credits: number,
  remaining: number | undefined,
): void {
  const { age, nextCursor } = answer.headers;
  const { reply, answerStatus, route } = context;
  let lines = answerLines(context, credits, remaining) + JSON_TYPE;
  if (age !== undefined) lines += `Age: ${age}\r\n`;
  if (nextCursor !== undefined)
    lines += `Link: <${nextPageOf(context, nextCursor)}>; rel="next"\r\n`;
  const { inPlace } = answer;
  if (inPlace !== undefined && reply.sendInPlace !== undefined && route.hasMeta) {
    const { bytes, start, end } = inPlace;
    if (bytes[end - 1] === CLOSING_BRACE) {
      const meta = metaOf(context, { credits, remaining, isAlone: end - start === 2 });
      return reply.sendInPlace(answerStatus, lines, { bytes, start, end: end - 1 }, meta);
    }
  }
  const body = bodyOf(answer);
  const isWhole = !route.hasMeta || body.charCodeAt(body.length - 1) !== CLOSING_BRACE;
  const meta = isWhole ? '' : metaOf(context, { credits, remaining, isAlone: body.length === 2 });
  reply.sendWhole(answerStatus, lines, isWhole ? body : body.slice(0, -1) + meta);
}

const ENDED_BY_PURCHASE = new Set(['insufficient_credits', 'key_paused', 'rate_limited']);

/** Step 9b: sends a rejection: at once, or later if the client ignores its limit. */
export function sendProblem(
  context: RequestContext,
  problem: Problem,
  remaining: number | undefined,
  settings: AnswerSettings,
): void {
  const { refusalDelays, trustedProxies } = settings;
  // An owner's 429 is not delayed, because the request was within its limit.
  const isOverLimit = problem.status === 429 && !context.rate?.allowed;
  const delayMs = isOverLimit
    ? refusalDelays.delayOf(senderOf(context, trustedProxies), context.startedMs)
    : 0;
  if (delayMs === 0) return writeProblem(context, problem, remaining, settings);
  if (context.reply instanceof ServerResponse) makeUnimportant(context.reply);
  setTimeout(writeProblem, delayMs, context, problem, remaining, settings).unref();
}

function writeProblem(
  context: RequestContext,
  problem: Problem,
  remaining: number | undefined,
  { bodies, refusedConnections }: AnswerSettings,
): void {
  const { reply, request, requestId, rate } = context;
  const body = bodies.render(problem, { requestId, path: pathOf(context) });
  let lines = answerLines(context, 0, remaining) + PROBLEM_TYPE;
  const { status } = problem;
  if (status === 401) lines += 'WWW-Authenticate: Bearer realm="api"\r\n';
  if (canBeEndedByPurchase(context, problem)) lines += `Link: ${bodies.linksOf(problem.code)}\r\n`;
  if (problem.code === 'rate_limited' && rate) {
    lines += `Retry-After: ${rate.resetSeconds}\r\n`;
    if (refusedConnections.isLast(request.socket)) {
      return reply.sendLast(status, lines + context.refusalLines, body);
    }
  } else if (problem.retryAfterSeconds !== undefined) {
    lines += `Retry-After: ${problem.retryAfterSeconds}\r\n`;
  }
  reply.sendWhole(status, lines + context.refusalLines, body);
}

/** No purchase raises the limits of requests without a key, or of the class `account`. */
function canBeEndedByPurchase({ caller, route }: RequestContext, { code }: Problem): boolean {
  if (caller === undefined || !ENDED_BY_PURCHASE.has(code)) return false;
  return code !== 'rate_limited' || route.rateClass !== 'account';
}

/** Returns the path and query of the next page, without the key, for the `Link` header (RFC 8288). */
function nextPageOf(context: RequestContext, cursor: string): string {
  return pathOf(context) + context.route.reader.nextPageQuery(context.input!, cursor);
}

const BRACES = /\{(\w+)\}/g;

function pathOf({ route: { path }, names, values }: RequestContext): string {
  if (!path.includes('{')) return path;
  return path.replace(BRACES, (braces, name: string) => {
    const given = values[names.indexOf(name)];
    return given === undefined ? braces : encodeURIComponent(given.toWellFormed());
  });
}

/**
 * Converts an owner's rejection to a problem. A rejection that does not concern the customer, or that cannot be read,
 * becomes 503.
 */
export function problemOf(answer: OwnerAnswer, owner: string): Problem {
  const { status } = answer.headers;
  const problem = PASSED_ON.has(status) ? ownersProblem(bodyOf(answer), status) : undefined;
  return problem ?? new ServiceUnavailable(owner);
}
