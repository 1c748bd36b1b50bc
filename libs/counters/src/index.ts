export * from './counter-id.js';
export * from './daily-credits.js';
export { MemoryRepeats } from './memory-repeats.js';
export { MemoryRequestWindow } from './memory-request-window.js';
export * from './open-counters.js';
export * from './repeats.js';
export { RequestWindow, type WindowAnswer } from './request-window.js';
export * from './valkey/upstream-budgets.js';
export * from './valkey-settings.js';
