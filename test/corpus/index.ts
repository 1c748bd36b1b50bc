export * from './citus-cluster.js';
export * from './corpus-under-test.js';
export * from './whole-life.js';
