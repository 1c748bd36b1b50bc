export * from './events.js';
export * from './file-clock.js';
export * from './kafka-broker.js';
export { kafkaAvailability } from './kafka-jars.js';
export * from './scrape.js';
export * from './test-clock.js';
export * from './test-database.js';
export * from './valkey-server.js';
export * from './wait.js';
