import { STATUS_CODES } from 'node:http';
import { CATALOGUE_VERSION } from '../../catalogue/plans.js';
import { listenerOf } from '../access.js';
import { type Operation, type OperationRoute, kindOf } from '../operation.js';
import { TUS_VERSION } from '../transfers/upload.js';
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

/** A stream: the items of the JSON answer, each a line, and the closing one. */
export function linesExample(operation: Operation): object {
  const [{ title, answer }] = operation.examples;
  const items = Object.values(answer as Record<string, unknown>).find(Array.isArray) ?? [];
  const { summary } = answer as { summary?: object };
  const lines: unknown[] = [...(items as unknown[]), { summary, meta: metaExample(operation) }];
  const value = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { example1: { summary: title, value } };
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
  const { access, body, examples } = operation;
  const given = new Map(Object.entries(examples[0].parameters));
  if (route.when && !given.has(route.when.parameter)) {
    given.set(route.when.parameter, route.when.value);
  }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = given.get(name) ?? '';
    given.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams([...given]).toString();
  const lines = [
    `curl ${curlMethod(operation)}'${origin}${path}${query && `?${query}`}'`,
    ...(access.kind === 'key' && listenerOf(operation) === 'api'
      ? [`-H 'X-API-Key: YOUR_KEY'`]
      : []),
    ...(body
      ? [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(examples[0].body ?? body.example)}'`,
        ]
      : []),
    ...curlUpload(operation),
  ];
  return lines.join(' \\\n  ');
}

function curlMethod(operation: Operation): string {
  // With the name that its owner gives it.
  if (kindOf(operation) === 'download') return '-OJL ';
  if (operation.method === 'HEAD') return '--head ';
  return operation.method === 'GET' ? '' : `-X ${operation.method} `;
}

/** A form where there is one; by tus, the whole file in one piece. */
function curlUpload({ upload }: Operation): string[] {
  if (!upload) return [];
  if (upload.types.includes('multipart/form-data')) return [`-F 'file=@names.csv'`];
  const resumable = upload.tus ? [`-H 'Tus-Resumable: ${TUS_VERSION}'`] : [];
  if (upload.types.length === 0) return resumable;
  const [type] = upload.types;
  return [
    ...resumable,
    `-H 'Upload-Offset: 0'`,
    `-H 'Content-Type: ${type}'`,
    `--data-binary '@names.csv'`,
  ];
}
