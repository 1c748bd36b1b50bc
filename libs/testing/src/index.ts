export * from './events.js';
export * from './scrape.js';
export * from './test-clock.js';
export * from './test-database.js';
export * from './wait.js';
