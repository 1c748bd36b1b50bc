import { DAY_MS, HOUR_MS } from '#libs/platform';
import type { Reversal } from '../payment-records/reversal.entity.js';

/** The pauses between attempts at a refund that fails, for example because our balance at the processor is too low. */
export const RETRY_PAUSES_MS: readonly number[] = [HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS];

/** Whether a refund failed and was neither replaced by another refund nor dismissed. */
export const isFailedRefund = ({ cause, state, closedAt }: Reversal): boolean =>
  cause === 'refund' && state === 'undone' && closedAt === null;

/** Whether a refund was started here, and the processor has not confirmed it. */
export const isUnconfirmed = ({ externalId, state }: Reversal): boolean =>
  state === 'requested' && externalId === null;

/**
 * Returns a reversal marked as undone. If the refund was started here, sets when it is retried, for at most four
 * retries.
 */
export function failed(refund: Reversal, now: Date): Reversal {
  const { cause, reason, attempt } = refund;
  const pauseMs = cause === 'refund' && reason !== null ? RETRY_PAUSES_MS[attempt - 1] : undefined;
  const retryAt = pauseMs === undefined ? null : new Date(now.getTime() + pauseMs);
  return { ...refund, state: 'undone', retryAt, updatedAt: now };
}
