import { STATUS_CODES } from 'node:http';
import { CATALOGUE_VERSION } from '../../catalogue/plans.js';
import type { Operation } from '../operation.js';
import { isRetryable, PROBLEM_STATUS, type ProblemCode } from './problem-codes.js';

const REQUEST_ID = 'req_4Fh2aBcD01230001zz';

/**
 * Returns an example of the members that the gateway adds to an answer of version 2. The examples of operations with a
 * price are fixtures, which cost nothing.
 */
export const META_EXAMPLE = {
  request_id: REQUEST_ID,
  credits_charged: 0,
  credits_remaining: 500,
  price_version: CATALOGUE_VERSION,
};

/** Returns an example of a stream: the items of the JSON answer, one per line, and the closing line. */
export function linesExample(operation: Operation): object {
  const [{ title, answer }] = operation.examples;
  const items = Object.values(answer as Record<string, unknown>).find(Array.isArray) ?? [];
  const { summary } = answer as { summary?: object };
  const lines: unknown[] = [...(items as unknown[]), { summary, meta: META_EXAMPLE }];
  const value = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { example1: { summary: title, value } };
}

/** Returns an example of a rejection, whose format is the same for every operation. @param origin of the API. */
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
