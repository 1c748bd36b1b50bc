import { OUTCOME_HEADER, type QuestionOf, SOURCE_HEADER, type WHOIS_LIVE } from '#libs/contracts';
import type { Lookup } from '#libs/resolvers';
import type { Problem } from '#libs/platform';
import { selectFields } from '../serializers/field-selection.js';
import {
  TldUnsupported,
  UpstreamThrottled,
  UpstreamTimeout,
  UpstreamUnreachable,
  UpstreamUnreadable,
} from './live.errors.js';
import { v1Body } from '../serializers/v1-body.js';
import { type Serving, v2Body } from '../serializers/v2-body.js';
import type { Json } from '../serializers/whois-body.js';

const DEFAULT_RETRY_AFTER_SECONDS = 30;

/** What the gateway or a worker asks, as the row of the operation says. */
export type LiveQuestion = QuestionOf<typeof WHOIS_LIVE>;

/** A finished answer: what the gateway passes on, and in the headers what it needs to charge. */
export interface LiveAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Puts a lookup into the words of the version asked for, or into the problem its outcome is. */
export function liveAnswer(lookup: Lookup, serving: Serving, question: LiveQuestion): LiveAnswer {
  const headers = {
    [OUTCOME_HEADER]: lookup.outcome,
    [SOURCE_HEADER]: serving.servedFrom,
    ...(serving.servedFrom === 'stale_cache' && { age: String(serving.ageSeconds) }),
  };
  const problem = problemOf(lookup);
  if (problem === undefined) {
    return { status: 200, headers, body: JSON.stringify(body(lookup, serving, question)) };
  }
  return {
    status: problem.status,
    headers: {
      ...headers,
      ...(problem.retryAfterSeconds && { 'retry-after': String(problem.retryAfterSeconds) }),
    },
    body: JSON.stringify(problem.toBody()),
  };
}

function body(lookup: Lookup, serving: Serving, question: LiveQuestion): Json {
  if (question.version === 1) return v1Body(lookup);
  const full = v2Body(lookup, serving, new Set(question.include));
  return question.fields === undefined ? full : selectFields(full, question.fields);
}

/** Exhaustive: an outcome that is neither an answer nor a refusal does not compile. */
function problemOf({ outcome, retryAfterSeconds, reason }: Lookup): Problem | undefined {
  const seconds = retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
  switch (outcome) {
    case 'delivered':
    case 'partial':
    case 'not_registered':
    case 'restricted':
      return undefined;
    case 'throttled':
      return new UpstreamThrottled(seconds);
    case 'unreachable':
      return new UpstreamUnreachable(seconds);
    case 'timeout':
      return new UpstreamTimeout(seconds);
    case 'parse_failed':
      return new UpstreamUnreadable(seconds);
    case 'unsupported':
      return new TldUnsupported(reason);
  }
}
