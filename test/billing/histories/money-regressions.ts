import type { MoneyCommand } from './money-commands.js';

/** Histories that once failed, by what was wrong. */
export const FAILED_ONCE: Record<string, readonly MoneyCommand[]> = {
  'two subscriptions of a line taken over at the same moment': [
    { kind: 'subscribe', sku: 'api-15K-month' },
    { kind: 'holdCallbacks' },
    { kind: 'cancel' },
    { kind: 'advance', days: 40 },
    { kind: 'subscribe', sku: 'api-5K-month' },
    { kind: 'subscribe', sku: 'api-50K-month' },
    { kind: 'releaseReversed' },
  ],
};
