export * from './background-work.js';
export * from './event-readers.js';
export * from './installation-databases.js';
export * from './installation-settings.js';
export * from './jobs.js';
export * from './run-alone.js';
export * from './service.js';
