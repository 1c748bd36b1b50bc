import type { Operation } from '../operation.js';
import { PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';

const OF_ALL: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'payload_too_large',
  'uri_too_long',
  'expectation_failed',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'class_busy',
  'service_overloaded',
  'service_unavailable',
  'answer_timeout',
];

const OF_A_KEY: readonly ProblemCode[] = [
  'ambiguous_credentials',
  'missing_api_key',
  'invalid_api_key',
  'account_deleted',
  'account_suspended',
  'address_not_allowed',
  'key_paused',
  'scope_denied',
  'too_many_failed_keys',
];

const OF_A_PRICE: readonly ProblemCode[] = [
  'insufficient_credits',
  'price_above_max',
  'key_cap_reached',
  'credits_busy',
];

const OF_FIXTURES: readonly ProblemCode[] = ['fixture_needs_test_key', 'test_key_fixture_only'];

/** Every refusal an operation may answer with: its own, and those of its access, price and body. */
export function problemsOf({ access, price, body, fixtures, problems }: Operation): ProblemCode[] {
  const codes = new Set<ProblemCode>([
    ...OF_ALL,
    body === undefined ? 'unexpected_body' : 'unsupported_media_type',
    ...(access.kind === 'key' ? OF_A_KEY : []),
    ...(price.per === 'free' ? [] : OF_A_PRICE),
    ...(fixtures === undefined ? [] : OF_FIXTURES),
    ...problems,
  ]);
  return (Object.keys(PROBLEM_STATUS) as ProblemCode[]).filter((code) => codes.has(code));
}
