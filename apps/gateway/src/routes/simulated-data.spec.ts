import { expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { ApiPaths } from './api-paths.js';

const HEADER = 'X-Simulated-Data: true\r\n';

it('an installation with simulated data marks every lookup as such, and no other answer', () => {
  const { routes } = new ApiPaths(OPERATIONS, { isDataSimulated: true });
  for (const { path, operation, versionLines } of routes) {
    const says = versionLines.includes(HEADER);
    expect([path, says]).toEqual([path, operation.owner.service === 'lookup']);
  }
  const real = new ApiPaths(OPERATIONS).routes;
  expect(real.filter(({ versionLines }) => versionLines.includes('X-Simulated-Data'))).toEqual([]);
});
