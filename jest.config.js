/** Runs the compiled specs in dist as they ship: no transform, no mapping. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  testEnvironment: 'node',
  transform: {},
  globalSetup: '<rootDir>/dist/libs/testing/src/jest-setup.js',
  globalTeardown: '<rootDir>/dist/libs/testing/src/jest-teardown.js',
  reporters: ['default', '<rootDir>/dist/libs/testing/src/jest-closing-lines.js'],
  testTimeout: 30_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '700MB',
};
