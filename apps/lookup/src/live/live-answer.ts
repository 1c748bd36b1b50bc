import type { Lookup, Outcome } from '#libs/resolvers';
import type { Problem } from '#libs/platform';
import { selectFields } from '../serializers/field-selection.js';
import type { LiveQuery } from './live.dto.js';
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

/** A finished answer: what the gateway passes on, and in the headers what it needs to charge. */
export interface LiveAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Puts a lookup into the words of the version asked for, or into the problem its outcome is. */
export function liveAnswer(lookup: Lookup, serving: Serving, query: LiveQuery): LiveAnswer {
  const headers = {
    'x-outcome': lookup.outcome,
    'x-served-from': serving.servedFrom,
    ...(serving.servedFrom === 'stale_cache' && { age: String(serving.ageSeconds) }),
  };
  const problem = problemOf(lookup);
  if (problem === undefined) {
    return { status: 200, headers, body: JSON.stringify(body(lookup, serving, query)) };
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

function body(lookup: Lookup, serving: Serving, query: LiveQuery): Json {
  if (query.version === '1') return v1Body(lookup);
  const full = v2Body(lookup, serving, new Set(query.include ?? ['raw', 'provenance']));
  return query.fields === undefined ? full : selectFields(full, query.fields);
}

function problemOf({ outcome, retryAfterSeconds, reason }: Lookup): Problem | undefined {
  const seconds = retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS;
  const problems: Partial<Record<Outcome, () => Problem>> = {
    throttled: () => new UpstreamThrottled(seconds),
    unreachable: () => new UpstreamUnreachable(seconds),
    timeout: () => new UpstreamTimeout(seconds),
    parse_failed: () => new UpstreamUnreadable(seconds),
    unsupported: () => new TldUnsupported(reason),
  };
  return problems[outcome]?.();
}
