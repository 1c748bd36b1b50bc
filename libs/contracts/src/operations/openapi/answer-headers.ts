import type { Operation, OperationRoute } from '../operation.js';
import { listenerOf } from '../access.js';
import { PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';

const text = (description: string) => ({ description, schema: { type: 'string' } });
const count = (description: string) => ({
  description,
  schema: { type: 'integer', format: 'int64', minimum: 0 },
});

/** The headers of answers, spelled as in `docs/api.md`. */
const HEADERS = {
  'X-Request-Id': text('Id of this request'),
  'X-Credits-Cost': count('Credits charged for this answer; for a stream, its last line has them'),
  'X-Credits-Remaining': count('Balance after this request, if it is available to the gateway'),
  'RateLimit-Policy': text('Rate limit (`q`) per window of seconds (`w`): `"live";q=10;w=60`'),
  RateLimit: text(
    'The number of requests that remain (`r`) for the next `t` seconds: `"live";r=9;t=60`',
  ),
  'x-ratelimit-allowed-requests': count('Rate limit, as a number'),
  'x-ratelimit-remaining-requests': count('Remaining requests, as a number'),
  'x-ratelimit-remaining-time': count('Remaining time in nanoseconds'),
  Age: count('Age of a stale answer in seconds'),
  'X-Simulated-Data': text(
    '`true` if this answer is based on simulated registries or invented names',
  ),
  Deprecation: text('When the path was deprecated (RFC 9745)'),
  Link: text(
    'The next page, the successor of a deprecated path, a help page, or the page that sells credits or plans (RFC 8288)',
  ),
  'Retry-After': count('Seconds to wait before the next attempt'),
  'WWW-Authenticate': text('How to send a key (RFC 9110)'),
  Allow: text('Methods that this path supports'),
  'X-CSRF-Token': text('CSRF token to send with the next call that changes something'),
} as const;

type HeaderName = keyof typeof HEADERS;

const OF_THE_API: readonly HeaderName[] = [
  'X-Request-Id',
  'X-Credits-Cost',
  'X-Credits-Remaining',
  'RateLimit-Policy',
  'RateLimit',
  'x-ratelimit-allowed-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-remaining-time',
];
const OF_THE_DASHBOARD: readonly HeaderName[] = ['X-Request-Id', 'X-CSRF-Token'];
const OF_A_LOOKUP: readonly HeaderName[] = ['Age'];
const OF_DATA: readonly HeaderName[] = ['X-Simulated-Data'];
const DATA_SERVICES: ReadonlySet<string> = new Set(['lookup', 'corpus', 'worker']);
const OF_A_LIST: readonly HeaderName[] = ['Link'];
const OF_AN_OLD_PATH: readonly HeaderName[] = ['Deprecation', 'Link'];
const BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  402: ['Link'],
  403: ['Link'],
  405: ['Allow'],
  429: ['Link'],
};

export const headerComponents = (): object => HEADERS;

export function answerHeaders(operation: Operation, { successor }: OperationRoute): object {
  return references([
    ...ofListener(operation),
    ...(operation.owner.service === 'lookup' ? OF_A_LOOKUP : []),
    ...(isOfData(operation) ? OF_DATA : []),
    ...(successor === undefined ? [] : OF_AN_OLD_PATH),
    ...('cursor' in operation.parameters && listenerOf(operation) === 'api' ? OF_A_LIST : []),
  ]);
}

const isOfData = (operation: Operation): boolean =>
  DATA_SERVICES.has(operation.owner.service) && listenerOf(operation) === 'api';

/** Returns references to the headers of a rejection. @param codes the codes with this status. */
export function refusalHeaders(
  operation: Operation,
  status: number,
  codes: readonly ProblemCode[],
): object {
  return references([
    ...ofListener(operation),
    ...(BY_STATUS[status] ?? []),
    ...(codes.some(saysWhen) ? (['Retry-After'] as const) : []),
  ]);
}

/** Whether a rejection says how long to wait. For others, such as an unfinished job, the time is not known. */
const saysWhen = (code: ProblemCode): boolean =>
  [429, 503, 504].includes(PROBLEM_STATUS[code]) || code === 'file_withheld';

const ofListener = (operation: Operation) =>
  listenerOf(operation) === 'api' ? OF_THE_API : OF_THE_DASHBOARD;

const references = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
