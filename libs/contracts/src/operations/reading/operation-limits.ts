import { JSON_BODY_LIMIT_BYTES } from '#libs/platform';
import { type RateClass, listenerOf } from '../access.js';
import type { Operation } from '../operation.js';

/** Requests under way are counted by these classes, each of which has its own places. */
export type ConcurrencyClass = RateClass | 'public';

/** What one request of an operation may take. */
export interface OperationLimits {
  /** Until its owner begins to answer, and between two parts of the answer, in milliseconds. */
  timeoutMs: number;
  bodyBytes: number;
  /** The most bytes of an answer that is held as a whole: JSON. */
  answerBytes: number;
  /** Whose places it takes while it is under way, on the API's origin. */
  concurrency: ConcurrencyClass;
}

const MIB = 1024 * 1024;

/** Registries are slow; browsers have people before them; a processor waits no longer, and asks again (S46). */
const TIMEOUT_MS = { api: 22_000, dashboard: 10_000, signed: 5_000 } as const;

/** What the requests of a row may take: what it says itself, or what its access brings. */
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
