export * from './database.js';
export * from './embedded/embedded-server.js';
export * from './keyset.js';
export * from './migrations.js';
export * from './pool-metrics.js';
export * from './provision.js';
export * from './services.js';
export * from './transaction.js';
