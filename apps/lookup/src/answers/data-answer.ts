import type { FastifyReply } from 'fastify';
import { OUTCOME_HEADER, type Outcome, SOURCE_HEADER, type Source } from '#libs/contracts';
import { type Problem, crashPoint } from '#libs/platform';
import {
  UpstreamThrottled,
  UpstreamTimeout,
  UpstreamUnreachable,
  UpstreamUnreadable,
} from './answers.errors.js';

const DEFAULT_RETRY_AFTER_SECONDS = 30;

/** How an answer came to be given now. */
export interface Serving {
  servedFrom: Source;
  ageSeconds: number;
}

/** A finished answer: what the gateway passes on, and in the headers what it needs to charge. */
export interface DataAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** An answer to the question, whatever it costs. */
export function answerOf(outcome: Outcome, serving: Serving, body: object): DataAnswer {
  return { status: 200, headers: headersOf(outcome, serving), body: JSON.stringify(body) };
}

/** The refusal that an outcome is. */
export function refusalOf(outcome: Outcome, serving: Serving, problem: Problem): DataAnswer {
  return {
    status: problem.status,
    headers: {
      ...headersOf(outcome, serving),
      ...(problem.retryAfterSeconds && { 'retry-after': String(problem.retryAfterSeconds) }),
    },
    body: JSON.stringify(problem.toBody()),
  };
}

function headersOf(outcome: Outcome, { servedFrom, ageSeconds }: Serving): Record<string, string> {
  return {
    [OUTCOME_HEADER]: outcome,
    [SOURCE_HEADER]: servedFrom,
    ...(servedFrom === 'stale_cache' && { age: String(ageSeconds) }),
  };
}

/**
 * What an outcome is that gives no answer; undefined for answers. Exhaustive: an outcome that is neither an
 * answer nor a refusal does not compile.
 *
 * @param unsupported what it means here that nobody can be asked.
 */
export function problemOf(
  outcome: Outcome,
  retryAfterSeconds: number | undefined,
  unsupported: () => Problem,
): Problem | undefined {
  const seconds = retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
  switch (outcome) {
    case 'delivered':
    case 'partial':
    case 'not_registered':
    case 'restricted':
    case 'empty':
    case 'unknown':
      return undefined;
    case 'throttled':
      return new UpstreamThrottled(seconds);
    case 'unreachable':
      return new UpstreamUnreachable(seconds);
    case 'timeout':
      return new UpstreamTimeout(seconds);
    case 'parse_failed':
      return new UpstreamUnreadable(seconds);
    case 'invalid':
    case 'unsupported':
      return unsupported();
  }
}

/** Aborted when the caller has gone before its answer was sent. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/**
 * Sends an answer past Nest's serialisation: its body is finished text. A caller that goes ends the looking,
 * unless others wait for the same.
 */
export async function sendAnswer(
  reply: FastifyReply,
  find: (signal: AbortSignal) => Promise<DataAnswer>,
): Promise<void> {
  const signal = goneSignal(reply);
  try {
    const { status, headers, body } = await find(signal);
    crashPoint('lookup.before-answer');
    void reply.status(status).headers(headers).type('application/json; charset=utf-8').send(body);
  } catch (error) {
    // Nobody is there to be told.
    if (!signal.aborted) throw error;
    reply.hijack();
  }
}
