import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// The compile cache of run.js: without it, each worker and each service takes a second or two to compile its modules.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** Runs the compiled specs in dist as they ship: no transform, no mapping. */
const PROJECT = {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/dist'],
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  testRunner: '<rootDir>/dist/test/environment/spec-runner.js',
  transform: {},
  globalTeardown: '<rootDir>/dist/test/environment/teardown.js',
};

/** The fast lane, `npm run test:fast`: the short specs beside what they prove and the house rules. They need PostgreSQL only. */
const FAST = {
  ...PROJECT,
  displayName: 'fast',
  testMatch: [
    '<rootDir>/dist/apps/**/*.spec.js',
    '<rootDir>/dist/libs/**/*.spec.js',
    '<rootDir>/dist/test/tidy.spec.js',
  ],
  testPathIgnorePatterns: ['\\.(slow|system|proof)\\.spec\\.js$'],
  globalSetup: '<rootDir>/dist/test/environment/setup-fast.js',
};

/** Specs that need no more than the fast lane, but take longer than five seconds: `x.slow.spec.ts`. */
const SLOW = {
  ...FAST,
  displayName: 'slow',
  testMatch: ['<rootDir>/dist/**/*.slow.spec.js'],
  testPathIgnorePatterns: [],
};

/** Specs that need a broker, Valkey, a browser or a second process: `x.system.spec.ts`, or below `test`. */
const SYSTEM = {
  ...PROJECT,
  displayName: 'system',
  testMatch: ['<rootDir>/dist/**/*.system.spec.js', '<rootDir>/dist/test/**/*.spec.js'],
  testPathIgnorePatterns: ['\\.(slow|proof)\\.spec\\.js$', '/dist/test/tidy\\.spec\\.js$'],
  globalSetup: '<rootDir>/dist/test/environment/setup.js',
};

/** The specs that `npm run prove` runs: outages, pitfalls of what we build on, sabotage of our own tools. */
const PROOF = {
  ...SYSTEM,
  displayName: 'proof',
  testMatch: ['**/*.proof.spec.js'],
  // Separate scenarios, which need more programs and more time.
  testPathIgnorePatterns: ['/test/upgrade/'],
};

/** A project's servers are started only when one of its specs runs. */
export default {
  projects: [FAST, SLOW, SYSTEM, PROOF],
  // It only ends tests that hang: a test waits for conditions, and on a busy machine a start alone can take minutes. Jest
  // ignores it in a project.
  testTimeout: 600_000,
  reporters: ['default', '<rootDir>/dist/test/environment/closing-lines.js'],
  testSequencer: '<rootDir>/dist/test/environment/longest-first.js',
  // Two cores: while one worker waits for a server or a time-out, the others work.
  maxWorkers: 3,
  workerIdleMemoryLimit: '700MB',
  // A worker may need more than half a second to free hundreds of megabytes. A worker that still holds something open
  // is reported all the same.
  workerGracefulExitTimeout: 20_000,
};
