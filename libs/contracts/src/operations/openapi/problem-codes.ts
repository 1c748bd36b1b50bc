import type { Operation } from '../operation.js';

/** Codes of the refusals of the API with their HTTP status. `docs/errors/<code>.md` explains each. */
export const PROBLEM_STATUS = {
  malformed_request: 400,
  invalid_request: 400,
  ambiguous_credentials: 400,
  unexpected_body: 400,
  invalid_domain_name: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_credits: 402,
  key_cap_reached: 402,
  price_above_max: 402,
  account_deleted: 403,
  account_suspended: 403,
  address_not_allowed: 403,
  key_paused: 403,
  scope_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  bogon_address: 422,
  fixture_needs_test_key: 422,
  test_key_fixture_only: 422,
  tld_unsupported: 422,
  rate_limited: 429,
  too_many_failed_keys: 429,
  headers_too_large: 431,
  internal_error: 500,
  class_busy: 503,
  credits_busy: 503,
  lookup_overloaded: 503,
  resolver_unreachable: 503,
  service_overloaded: 503,
  service_unavailable: 503,
  upstream_throttled: 503,
  upstream_unreachable: 503,
  upstream_unreadable: 503,
  answer_timeout: 504,
  resolver_timeout: 504,
  upstream_timeout: 504,
} as const;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

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
