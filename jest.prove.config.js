/** What `npm run prove` leaves to Jest: each starts all that it needs. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/dist'],
  testMatch: ['**/*.prove.js'],
  testEnvironment: 'node',
  transform: {},
  testTimeout: 3_600_000,
};
