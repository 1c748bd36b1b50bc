import whole from './jest.config.js';

/** The specs that `npm run prove` runs: outages, pitfalls of what we build on, sabotage of our own tools. */
export default {
  ...whole,
  testMatch: ['**/*.proof.spec.js'],
  // Scenarios of their own: they need more programs, and more time.
  testPathIgnorePatterns: ['/test/deploy/kubernetes/', '/test/upgrade/'],
};
