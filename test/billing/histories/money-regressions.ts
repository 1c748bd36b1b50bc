import type { MoneyCommand } from './money-commands.js';

/** Histories that once failed, by the fault. */
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
  'a first payment that is heard of only after an upgrade': [
    { kind: 'dropCallbacks' },
    { kind: 'subscribe', sku: 'api-15K-month' },
    { kind: 'releaseReversed' },
    { kind: 'advance', days: 31 },
    { kind: 'change', sku: 'api-50K-month' },
  ],
  'a deletion while the processor does not answer': [
    { kind: 'subscribe', sku: 'api-5K-month' },
    { kind: 'advance', days: 22 },
    { kind: 'lose', answers: 2, requests: 2 },
    { kind: 'delete' },
    { kind: 'advance', days: 27 },
  ],
};
