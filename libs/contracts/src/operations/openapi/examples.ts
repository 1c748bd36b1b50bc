import { STATUS_CODES } from 'node:http';
import { CATALOGUE_VERSION } from '../../catalogue/plans.js';
import { listenerOf } from '../access.js';
import type { Operation, OperationRoute } from '../operation.js';
import { isRetryable, PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';

const REQUEST_ID = 'req_4Fh2aBcD01230001zz';

/** Members that the gateway adds to an answer of version 2. */
export function metaExample({ price, access }: Operation) {
  const credits = price.per !== 'free' && typeof price.credits === 'number' ? price.credits : 0;
  return {
    request_id: REQUEST_ID,
    credits_charged: credits,
    ...(access.kind === 'key' && { credits_remaining: 499 }),
    price_version: CATALOGUE_VERSION,
  };
}

/** The lines of a stream: those of the items in the JSON answer, and the closing one. */
export function lineExamples({ examples: [{ answer }] }: Operation): object {
  const items = Object.values(answer as Record<string, unknown>).find(Array.isArray) ?? [];
  const lines = items.map((value: unknown, place: number) => [`line${place + 1}`, { value }]);
  const { summary } = answer as { summary?: object };
  return Object.fromEntries([...lines, ['closing', { value: { summary } }]]) as object;
}

/** A refusal as every operation answers it. @param origin of the API. */
export function problemExample(code: ProblemCode, origin: string) {
  const status = PROBLEM_STATUS[code];
  const title = STATUS_CODES[status] ?? String(status);
  const detail = `What is wrong with this request, and what to do: see ${origin}/errors/${code}.`;
  return {
    type: `${origin}/errors/${code}`,
    title,
    status,
    detail,
    code,
    retryable: isRetryable(code),
    credits_charged: 0,
    error: title,
    message: detail,
    request_id: REQUEST_ID,
    timestamp: '2026-11-20T11:42:03.000Z',
    path: '/v2.0/whois/live',
  };
}

/** How a shell asks the first example of an operation. @param origin of the API, without a slash at its end. */
export function curlOf(operation: Operation, route: OperationRoute, origin: string): string {
  const { method, access, body, examples } = operation;
  const given = new Map(Object.entries(examples[0].parameters));
  if (route.when) given.set(route.when.parameter, route.when.value);
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name) ?? '';
    given.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams([...given]).toString();
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${origin}${path}${query && `?${query}`}'`,
    ...(access.kind === 'key' && listenerOf(operation) === 'api'
      ? [`-H 'X-API-Key: YOUR_KEY'`]
      : []),
    ...(body
      ? [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(examples[0].body ?? body.example)}'`,
        ]
      : []),
  ];
  return lines.join(' \\\n  ');
}
