import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// Uses the compile cache of run.js. Without it, each worker and each service takes a second or two to compile its
// modules.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** Runs the compiled specs in dist exactly as they are: no transform, no module mapping. */
const PROJECT = {
  rootDir: import.meta.dirname,
  // Not the compile cache, whose tens of thousands of files Jest would list for each project.
  roots: ['<rootDir>/dist/apps', '<rootDir>/dist/libs', '<rootDir>/dist/test'],
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  testRunner: '<rootDir>/dist/test/environment/spec-runner.js',
  transform: {},
  globalTeardown: '<rootDir>/dist/test/environment/teardown.js',
};

/**
 * The specs of `npm run test:fast`: the short specs beside the code that they test, and the house rules. They need only
 * PostgreSQL.
 */
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

/** Specs that also need only PostgreSQL, but take longer than five seconds: `x.slow.spec.ts`. */
const SLOW = {
  ...FAST,
  displayName: 'slow',
  testMatch: ['<rootDir>/dist/**/*.slow.spec.js'],
  testPathIgnorePatterns: [],
};

/** Specs that need a broker, Valkey, a browser or a second process: `x.system.spec.ts`, or any other in `test`. */
const SYSTEM = {
  ...PROJECT,
  displayName: 'system',
  testMatch: ['<rootDir>/dist/**/*.system.spec.js', '<rootDir>/dist/test/**/*.spec.js'],
  testPathIgnorePatterns: ['\\.(slow|proof)\\.spec\\.js$', '/dist/test/tidy\\.spec\\.js$'],
  globalSetup: '<rootDir>/dist/test/environment/setup.js',
};

/** The specs that `npm run prove` runs: outages, pitfalls of libraries that we use, and sabotage of our own tools. */
const PROOF = {
  ...SYSTEM,
  displayName: 'proof',
  testMatch: ['**/*.proof.spec.js'],
  // These are separate scenarios, which need more programs and more time.
  testPathIgnorePatterns: ['/test/upgrade/'],
};

/** A project's servers are started only when one of its specs runs. */
export default {
  projects: [FAST, SLOW, SYSTEM, PROOF],
  // This limit only ends tests that hang: a test waits for conditions, and on a busy machine, a start alone can take
  // minutes. Jest ignores the limit in the settings of a project.
  testTimeout: 600_000,
  reporters: ['default', '<rootDir>/dist/test/environment/closing-lines.js'],
  testSequencer: '<rootDir>/dist/test/environment/longest-first.js',
  // More workers than the two cores: while one worker waits for a server or a time-out, the others work.
  maxWorkers: 3,
  // The heap may grow to three times what is in use, and a new worker must load the product again.
  workerIdleMemoryLimit: '2GB',
  // A worker may need more than half a second to free hundreds of megabytes. A worker that keeps a resource open is
  // reported nevertheless.
  workerGracefulExitTimeout: 20_000,
};
