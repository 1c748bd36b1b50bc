import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// As run.js has it. Reading and compiling every module anew was a second or two of each worker and of each service.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'dist/.compiled');
enableCompileCache(process.env.NODE_COMPILE_CACHE);

/** Runs the compiled specs in dist as they ship: no transform, no mapping. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.spec.js'],
  // Those of `npm run prove`.
  testPathIgnorePatterns: ['\\.proof\\.spec\\.js$'],
  testEnvironment: 'node',
  testEnvironmentOptions: { globalsCleanup: 'off' },
  testRunner: '<rootDir>/dist/test/environment/spec-runner.js',
  transform: {},
  globalSetup: '<rootDir>/dist/test/environment/setup.js',
  globalTeardown: '<rootDir>/dist/test/environment/teardown.js',
  reporters: ['default', '<rootDir>/dist/test/environment/closing-lines.js'],
  // What a test waits for it waits for by condition: this only ends what hangs. A test that needs longer says so itself.
  testTimeout: 60_000,
  testSequencer: '<rootDir>/dist/test/environment/longest-first.js',
  // Two cores: while one worker waits for a server or a time-out, the others work.
  maxWorkers: 3,
  workerIdleMemoryLimit: '700MB',
  // A worker that has let go of everything still gives hundreds of megabytes back, which half a second is short for on
  // a busy machine. One that holds on to something is reported all the same.
  workerGracefulExitTimeout: 20_000,
};
