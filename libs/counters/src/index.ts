export * from './counter-id.js';
export * from './memory-repeats.js';
export * from './memory-request-window.js';
export * from './open-counters.js';
export * from './repeats.js';
export * from './request-window.js';
