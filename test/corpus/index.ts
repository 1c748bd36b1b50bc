export * from './citus-cluster.js';
export * from './corpus-under-test.js';
