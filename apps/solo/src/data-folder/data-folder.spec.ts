import fs from 'node:fs';
import { expect, it, jest } from '@jest/globals';
import { makeOwnFolder } from '#test/environment';
import { DataFolder } from './data-folder.js';

it('a file is on the disk before it replaces the old one, so that a power failure cannot leave secrets empty', () => {
  const folder = new DataFolder(makeOwnFolder('data-folder'));
  const flushed = jest.spyOn(fs, 'fsyncSync');
  folder.writePrivateJson('secrets.json', { roles: 'a secret' });
  expect(flushed).toHaveBeenCalledTimes(1);
  flushed.mockRestore();
  expect(folder.readJson('secrets.json')).toEqual({ roles: 'a secret' });
});
