import { listenerOf } from '../access.js';
import { type Operation, type OperationKind, kindOf, subjectsOf } from '../operation.js';
import { PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';

const OF_THE_API: readonly ProblemCode[] = [
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

const OF_THE_DASHBOARD: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_request',
  'request_timeout',
  'payload_too_large',
  'too_busy',
  'headers_too_large',
  'internal_error',
  'service_overloaded',
  'service_unavailable',
];

/** The problems of calls that change something, which must come from our own pages. */
const OF_A_CHANGE: readonly ProblemCode[] = ['cross_site_request', 'csrf_token_invalid'];
const OF_A_SESSION: readonly ProblemCode[] = ['not_logged_in', 'account_deleted'];
const OF_AN_IDEMPOTENCY_KEY: readonly ProblemCode[] = [
  'idempotency_key_reused',
  'idempotency_key_running',
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

/**
 * The additional problem of operations on several items: one JSON document may exceed the gateway's limit; a stream
 * does not.
 */
const OF_SEVERAL_ITEMS: readonly ProblemCode[] = ['answer_too_large'];

const OF_A_KIND: Readonly<Record<OperationKind, readonly ProblemCode[]>> = {
  answer: [],
  upload: ['too_many_uploads'],
  download: ['not_found', 'range_not_satisfiable', 'too_many_downloads'],
};
const OF_TUS: readonly ProblemCode[] = [
  'not_found',
  'upload_offset_mismatch',
  'upload_gone',
  'tus_version_not_supported',
  'upload_locked',
];

/**
 * Returns every rejection that an operation may answer with: its own, and the rejections for its access, price and
 * body.
 */
export function problemsOf(operation: Operation): ProblemCode[] {
  const { access, price, body, upload, problems, takesIdempotencyKey } = operation;
  const codes = new Set<ProblemCode>([
    ...(listenerOf(operation) === 'api' ? OF_THE_API : dashboardProblems(operation)),
    body === undefined && !upload?.types.length ? 'unexpected_body' : 'unsupported_media_type',
    ...OF_A_KIND[kindOf(operation)],
    ...(upload?.tus ? OF_TUS : []),
    ...(access.kind === 'key' ? OF_A_KEY : []),
    ...(access.kind === 'key' && access.isForLiveKeys ? (['test_key_not_allowed'] as const) : []),
    ...(access.kind === 'key' && access.managesKeys ? (['key_in_query'] as const) : []),
    ...(price.per === 'free' ? [] : OF_A_PRICE),
    ...(price.per === 'free' && price.later ? (['capped_key_not_allowed'] as const) : []),
    ...fixtureProblems(operation),
    ...(itemProblemsOf(operation).length > 0 ? OF_SEVERAL_ITEMS : []),
    ...(takesIdempotencyKey ? OF_AN_IDEMPOTENCY_KEY : []),
    ...problems,
  ]);
  return (Object.keys(PROBLEM_STATUS) as ProblemCode[]).filter((code) => codes.has(code));
}

/** Returns the problems that can reject one of several items; empty for an operation on a single item. */
export function itemProblemsOf({ answers }: Operation): readonly ProblemCode[] {
  return answers.flatMap((form) => (form.type === 'application/x-ndjson' ? form.of.codes : []));
}

/** Returns the problems of requests that a test key may not make, or that only a test key may make. */
function fixtureProblems(operation: Operation): ProblemCode[] {
  const { parameters, body } = operation;
  const kinds = [
    ...subjectsOf(operation).map((name) => parameters[name].kind),
    ...(body?.subjects ?? []).map(({ kind }) => kind),
  ];
  return [
    ...(kinds.some(({ isReserved }) => isReserved) ? (['fixture_needs_test_key'] as const) : []),
    ...(kinds.some(({ isFixture }) => isFixture) ? (['test_key_fixture_only'] as const) : []),
  ];
}

function dashboardProblems({ access, method }: Operation): ProblemCode[] {
  const isSession = access.kind === 'session';
  return [
    ...OF_THE_DASHBOARD,
    ...(['GET', 'HEAD'].includes(method) || access.kind === 'signed' ? [] : OF_A_CHANGE),
    ...(isSession ? OF_A_SESSION : []),
    ...(isSession && access.needsReauthentication ? (['reauthentication_required'] as const) : []),
    ...(isSession && access.isPaced ? (['too_many_attempts'] as const) : []),
  ];
}
