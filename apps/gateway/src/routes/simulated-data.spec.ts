import { expect, it } from '@jest/globals';
import { OPERATIONS } from '#libs/contracts';
import { page } from '../dashboard/pages/layout.js';
import { html } from '../dashboard/pages/markup.js';
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

it('every page says so, too', () => {
  const shown = (isDataSimulated: boolean) => {
    const context = { csrfToken: 'c', isLoggedIn: false, hasMailbox: false, isDataSimulated };
    return page(context, { title: 'Any', body: html`` }).text;
  };
  expect(shown(true)).toContain('Simulated data: this installation asks a registry simulator');
  expect(shown(false)).not.toContain('Simulated data');
});
