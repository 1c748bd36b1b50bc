import { JSON_BODY_LIMIT_BYTES } from '#libs/platform';
import { listenerOf } from '../access.js';
import type { Operation, OperationLimits } from '../operation.js';

const MIB = 1024 * 1024;

/**
 * Time limits by kind of caller. The API waits for slow registries, people wait at the dashboard, and the sender of a
 * signed callback retries after this time (S46).
 */
const TIMEOUT_MS = { api: 22_000, dashboard: 10_000, signed: 5_000 } as const;

/** Returns the limits of a row's requests: its own limits, or the limits of its access. */
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
