export * from './failed-work.js';
export * from './long-turns.js';
export * from './work.js';
export * from './work-metrics.js';
export * from './work-outcome.js';
export * from './work-queue.js';
export * from './work-runner.js';
export * from './work-table.js';
