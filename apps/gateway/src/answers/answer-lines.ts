import { CATALOGUE_VERSION } from '#libs/contracts';
import { headerLines } from '#libs/public-http';
import type { RequestContext } from '../context/request-context.js';

/** The headers of every API answer, as alternating names and values. */
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
const NANOSECONDS = '000000000';
/**
 * The window announced in `RateLimit-Policy`, in seconds. The counter's window is one second longer, so that no minute
 * exceeds the limit.
 */
const WINDOW_SECONDS = 60;

/** Returns the header lines of every answer. @param credits the cost, if known. */
export function answerLines(
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

/** Returns the headers of a streamed answer, whose cost is not known yet. */
export function streamHeaders(context: RequestContext): string {
  return answerLines(context, undefined, undefined) + `Content-Type: ${context.form.type}\r\n`;
}

/** Returns the closing line of a streamed answer, with its cost. @param line a JSON object. */
export function closingLine(
  context: RequestContext,
  line: string,
  credits: number,
  remaining: number | undefined,
): string {
  const isAlone = line.length === 2;
  return `${line.slice(0, -1)}${metaOf(context, { credits, remaining, isAlone })}\n`;
}

/**
 * Returns the member `meta` and the closing brace of the object around it. @param isAlone true if no member precedes
 * `meta`.
 */
export function metaOf(
  { requestId, isRepeat }: RequestContext,
  { credits, remaining, isAlone }: { credits: number; remaining?: number; isAlone: boolean },
): string {
  const balance = remaining === undefined ? '' : `,"credits_remaining":${remaining}`;
  const repeat = isRepeat ? ',"repeat":true' : '';
  return `${isAlone ? '' : ','}"meta":{"request_id":"${requestId}","credits_charged":${credits}${balance}${repeat},"price_version":"${CATALOGUE_VERSION}"}}`;
}
