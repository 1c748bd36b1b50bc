export * from './counter-id.js';
export * from './daily-credits.js';
export { MemoryRepeats } from './memory-repeats.js';
export { MemoryRequestWindow } from './memory-request-window.js';
export * from './repeats.js';
export * from './request-window.js';
export * from './shared-counters.js';
export * from './shared-repeats.js';
export * from './shared-request-window.js';
