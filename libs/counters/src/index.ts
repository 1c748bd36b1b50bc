export * from './counter-id.js';
export * from './daily-credits.js';
export { MemoryRepeatWindow } from './memory-repeat-window.js';
export { MemoryRateLimiter } from './memory-rate-limiter.js';
export * from './open-counters.js';
export * from './repeat-window.js';
export { RateLimiter, type RateLimitResult } from './rate-limiter.js';
export * from './valkey/upstream-budgets.js';
export * from './valkey-settings.js';
