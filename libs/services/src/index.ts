export * from './background-work.js';
export * from './heard-events.js';
export * from './installation-settings.js';
export * from './jobs.js';
export * from './run-alone.js';
export * from './service.js';
