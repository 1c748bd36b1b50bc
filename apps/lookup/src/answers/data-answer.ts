import type { FastifyReply } from 'fastify';
import {
  CHARGED_ITEMS_HEADER,
  CREDITS_MAX_HEADER,
  OUTCOME_HEADER,
  type Outcome,
  SOURCE_HEADER,
} from '#libs/contracts';
import { type Problem, crashPoint } from '#libs/platform';
import type { WayOut } from '#libs/resolvers';
import {
  UpstreamThrottled,
  UpstreamTimeout,
  UpstreamUnreachable,
  UpstreamUnreadable,
} from './answers.errors.js';
import { selected } from '../serializers/field-selection.js';
import type { Json } from '../serializers/whois-body.js';
import type { Serving } from '../serializers/provenance-body.js';

const DEFAULT_RETRY_AFTER_SECONDS = 30;

export type DataAnswer = { outcome: Outcome; serving: Serving } & (
  | {
      body: Json;
      /** The number of charged items, in an answer about several items. */
      chargedItems?: number;
      /** The maximum charge for an answer that lacks a part that its price includes. */
      creditsMax?: number;
    }
  | { problem: Problem }
);

/**
 * Converts a lookup to the response body, or to the problem of its outcome.
 *
 * @param body called only for an answer.
 * @param fields paths of the requested members; all members if absent.
 */
export function answerFrom(
  { lookup: { outcome }, serving }: { lookup: { outcome: Outcome }; serving: Serving },
  problem: Problem | undefined,
  body: () => Json,
  fields?: string[],
): DataAnswer {
  if (problem !== undefined) return { outcome, serving, problem };
  return { outcome, serving, body: selected(body(), fields) };
}

function headersOf(answer: DataAnswer): Record<string, string> {
  const { outcome, serving } = answer;
  const charged = 'body' in answer ? answer.chargedItems : undefined;
  const creditsMax = 'body' in answer ? answer.creditsMax : undefined;
  const retryAfter = 'problem' in answer ? answer.problem.retryAfterSeconds : undefined;
  return {
    [OUTCOME_HEADER]: outcome,
    [SOURCE_HEADER]: serving.servedFrom,
    ...(serving.servedFrom === 'stale_cache' && { age: String(serving.ageSeconds) }),
    ...(charged !== undefined && { [CHARGED_ITEMS_HEADER]: String(charged) }),
    ...(creditsMax !== undefined && { [CREDITS_MAX_HEADER]: String(creditsMax) }),
    ...(retryAfter && { 'retry-after': String(retryAfter) }),
  };
}

/**
 * Returns the problem of an outcome without an answer; undefined for answers. The switch is exhaustive, so that code
 * with an unhandled outcome does not compile.
 *
 * @param unsupported returns the problem of the outcomes `unsupported` and `invalid`.
 */
export function problemOf(
  { outcome, retryAfterSeconds }: { outcome: Outcome; retryAfterSeconds?: number },
  { isCutOff }: Pick<WayOut, 'isCutOff'>,
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
      return new UpstreamUnreachable(seconds, isCutOff);
    case 'timeout':
      return new UpstreamTimeout(seconds, isCutOff);
    case 'parse_failed':
      return new UpstreamUnreadable(seconds);
    case 'invalid':
    case 'unsupported':
      return unsupported();
  }
}

/** Returns a signal that is aborted if the caller disconnects before the answer is sent. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}

/**
 * Sends an answer without Nest's serialisation, because the body is already text. If the caller disconnects, the lookup
 * is cancelled unless other callers wait for it.
 */
export async function sendAnswer(
  reply: FastifyReply,
  find: (signal: AbortSignal) => Promise<DataAnswer>,
): Promise<void> {
  const signal = goneSignal(reply);
  try {
    const answer = await find(signal);
    const status = 'body' in answer ? 200 : answer.problem.status;
    const body = JSON.stringify('body' in answer ? answer.body : answer.problem.toBody());
    crashPoint('lookup.before-answer');
    const sent = reply.status(status).headers(headersOf(answer));
    void sent.type('application/json; charset=utf-8').send(body);
  } catch (error) {
    // The caller has disconnected, so nothing is sent.
    if (!signal.aborted) throw error;
    reply.hijack();
  }
}
