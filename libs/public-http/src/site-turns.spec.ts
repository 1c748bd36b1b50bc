import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { SiteTurns } from './site-turns.js';

it('S104: one request per site starts in each turn of the event loop, and requests of other sites, or abandoned ones, are not waited for', async () => {
  const turns = new SiteTurns();
  const started: string[] = [];
  const begin = (site: string, destroyed = false) =>
    turns.begin(site, { destroyed }, () => started.push(destroyed ? 'abandoned' : site));
  for (let n = 0; n < 3; n++) begin('many');
  begin('one');
  expect(started).toEqual(['many', 'one']);
  await setImmediate();
  begin('one');
  expect(started).toEqual(['many', 'one', 'many', 'one']);
  await setImmediate();
  expect(started).toEqual(['many', 'one', 'many', 'one', 'many']);
  // Abandoned requests are not started, and do not delay the next.
  for (let n = 0; n < 3; n++) await setImmediate();
  begin('left');
  for (let n = 0; n < 9; n++) begin('left', true);
  begin('left');
  await setImmediate();
  expect(started.splice(5)).toEqual(['left', 'left']);
  // A site without waiting requests is forgotten.
  for (let n = 0; n < 3; n++) await setImmediate();
  begin('many');
  expect(started.at(-1)).toBe('many');
});
