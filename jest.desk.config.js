import whole from './jest.config.js';

/**
 * The desk lane, `npm run test:fast`: the specs beside what they prove and the house rules. What needs a broker,
 * Valkey, a browser or a second process is named `x.system.spec.ts` or lies elsewhere below `test`.
 */
export default {
  ...whole,
  testMatch: [
    '<rootDir>/dist/apps/**/*.spec.js',
    '<rootDir>/dist/libs/**/*.spec.js',
    '<rootDir>/dist/test/tidy.spec.js',
  ],
  testPathIgnorePatterns: ['\\.(system|proof)\\.spec\\.js$'],
  globalSetup: '<rootDir>/dist/test/environment/setup-desk.js',
};
