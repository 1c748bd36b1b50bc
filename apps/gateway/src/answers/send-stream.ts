import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { LINE_MARKS, streamedLine } from '#libs/contracts';
import { monotonicMs } from '#libs/platform';
import type { ApiResponse } from '../context/api-response.js';
import type { RequestContext } from '../context/request-context.js';
import type { OwnerAnswer } from '../context/owner-answer.js';
import { closingLine, streamHeaders } from './answer-lines.js';
import { creditsFor } from './credits-for.js';
import { readLines } from './line-stream.js';

/** The closing line of an answer whose owner disconnected before its end. */
const BROKEN_OFF = '{"error":"broken_off"}';

interface StreamTerms {
  balanceAfter: (credits: number) => number | undefined;
  /**
   * The `monotonicMs` at which a slow client is disconnected, because its hold and its concurrency slot expire then.
   */
  untilMs: number;
}

/**
 * Sends a streamed answer: lines or bytes. `context.streamedCredits` counts the credits for what has been written, even
 * if the client then disconnects.
 * @returns false if the owner or the client disconnected early, or the client was too slow.
 */
export async function sendStream(
  context: RequestContext,
  answer: OwnerAnswer,
  terms: StreamTerms,
): Promise<boolean> {
  // A plain connection cannot stream, so it has handed this request over to Node.
  const response = context.reply as ApiResponse;
  response.begin(200, streamHeaders(context));
  try {
    if (context.form.type === 'application/x-ndjson') {
      return await sendLines(context, response, answer.stream!, terms);
    }
    await sendBytes(context, response, answer, terms);
    response.end();
    return true;
  } catch {
    // The headers have been sent, so only a closed connection can tell the client that the answer is incomplete.
    response.destroy();
    return false;
  }
}

async function sendLines(
  context: RequestContext,
  response: ApiResponse,
  stream: Readable,
  { balanceAfter, untilMs }: StreamTerms,
): Promise<boolean> {
  let last: string | undefined;
  try {
    for await (const lines of readLines(stream)) {
      if (lines.text !== '') {
        const isTaken = response.write(lines.text, 'latin1');
        const credits = context.streamedCredits + lines.charged * context.eachPrice;
        context.streamedCredits = Math.min(context.cost, credits);
        context.hold?.charge(context.streamedCredits);
        if (context.keyed) context.sentLines += repeatable(lines.text);
        if (!isTaken) await drained(context, response, untilMs);
      }
      last = lines.last;
    }
  } catch {
    last = undefined;
  }
  if (context.isOver) return false;
  if (context.keyed && last !== undefined) context.sentLines += streamedLine('last', last);
  const credits = context.streamedCredits;
  response.end(closingLine(context, last ?? BROKEN_OFF, credits, balanceAfter(credits)), 'latin1');
  return last !== undefined;
}

/** Returns the lines with every mark set to "free", because a repeat of the request costs nothing. */
function repeatable(lines: string): string {
  return lines.replace(/^(?=.)/gm, LINE_MARKS.free);
}

/** Sends an answer that consists of bytes. It is charged in full as soon as its first byte is sent. */
async function sendBytes(
  context: RequestContext,
  response: ApiResponse,
  answer: OwnerAnswer,
  { untilMs }: StreamTerms,
): Promise<void> {
  for await (const chunk of answer.stream as AsyncIterable<Buffer>) {
    context.streamedCredits = creditsFor(answer, context);
    if (!response.write(chunk)) await drained(context, response, untilMs);
  }
}

/** Waits until the client has read everything written so far. @throws if the client disconnects or is too slow. */
async function drained(
  context: RequestContext,
  response: ApiResponse,
  untilMs: number,
): Promise<void> {
  const leftMs = untilMs - monotonicMs();
  if (leftMs <= 0) throw new Error('the client has taken too long');
  const { serviceCall } = context;
  const signals = [
    AbortSignal.timeout(Math.ceil(leftMs)),
    ...(serviceCall ? [serviceCall.signal] : []),
  ];
  await once(response, 'drain', { signal: AbortSignal.any(signals) });
}
