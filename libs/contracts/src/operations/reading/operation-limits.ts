import { JSON_BODY_LIMIT_BYTES } from '#libs/platform';
import { type RateClass, listenerOf } from '../access.js';
import type { Operation } from '../operation.js';

/** Requests under way are counted by these classes, each of which has its own places. */
export type ConcurrencyClass = RateClass | 'public';

/** The limits of one request of an operation. */
export interface OperationLimits {
  /** Until its owner begins to answer, and between two parts of the answer, in milliseconds. */
  timeoutMs: number;
  bodyBytes: number;
  /** The most bytes of an answer that is held as a whole: JSON. */
  answerBytes: number;
  /** The group of places that it takes while it is under way, on the API's origin. */
  concurrency: ConcurrencyClass;
}

const MIB = 1024 * 1024;

/** Registries are slow; browsers have people before them; a processor waits no longer, and asks again (S46). */
const TIMEOUT_MS = { api: 22_000, dashboard: 10_000, signed: 5_000 } as const;

/** The limits of a row's requests: its own, or those that come with its access. */
export function limitsOf({
  access,
  body,
  upload,
  limits,
}: Pick<Operation, 'access' | 'body' | 'upload' | 'limits'>): OperationLimits {
  const isSigned = access.kind === 'signed';
  const listener = listenerOf({ access });
  return {
    timeoutMs: TIMEOUT_MS[isSigned ? 'signed' : listener],
    bodyBytes: body?.limitBytes ?? (upload?.limitBytes || (isSigned ? MIB : JSON_BODY_LIMIT_BYTES)),
    answerBytes: listener === 'api' ? 4 * MIB : MIB,
    concurrency: access.kind === 'key' ? access.class : 'public',
    ...limits,
  };
}
