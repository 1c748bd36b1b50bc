import { expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { ApiPaths } from './api-paths.js';

const HEADER = 'X-Simulated-Data: true\r\n';

it('every lookup of an installation with simulated data says so, and no other answer does', () => {
  const { routes } = new ApiPaths(OPERATIONS, { isDataSimulated: true });
  for (const { path, operation, versionLines } of routes) {
    const says = versionLines.includes(HEADER);
    expect([path, says]).toEqual([path, operation.owner.service === 'lookup']);
  }
  const real = new ApiPaths(OPERATIONS).routes;
  expect(real.filter(({ versionLines }) => versionLines.includes('X-Simulated-Data'))).toEqual([]);
});
