export * from './corpus-under-test.js';
