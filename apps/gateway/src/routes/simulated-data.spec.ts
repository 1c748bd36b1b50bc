import { expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { ApiPaths } from './api-paths.js';

const HEADER = 'X-Simulated-Data: true\r\n';

it.each([
  ['simulated registries', { isDataSimulated: true }, ['lookup', 'corpus', 'worker']],
  ['invented names in the corpus', { isCorpusInvented: true }, ['corpus']],
])('an installation with %s marks exactly the answers that are based on it', (_, options, of) => {
  for (const { path, operation, versionLines } of new ApiPaths(OPERATIONS, options).routes) {
    const says = versionLines.includes(HEADER);
    expect([path, says]).toEqual([path, of.includes(operation.owner.service)]);
  }
  const real = new ApiPaths(OPERATIONS).routes;
  expect(real.filter(({ versionLines }) => versionLines.includes('X-Simulated-Data'))).toEqual([]);
});
