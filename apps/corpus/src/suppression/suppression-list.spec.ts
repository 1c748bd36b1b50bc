import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { makeOwnFolder } from '#test/environment';
import { SuppressionList } from './suppression-list.js';

it('a list is created completely or not at all, and replaces an empty file, which a full disk may have left behind', async () => {
  const path = join(makeOwnFolder('suppression-list'), 'suppressions.list');
  const list = new SuppressionList(path);
  // It stands for a disk on which nothing can be written.
  mkdirSync(`${path}.partial`);
  await expect(list.begin()).rejects.toThrow('EISDIR');
  expect(await list.read()).toBeUndefined();
  rmdirSync(`${path}.partial`);
  writeFileSync(path, '');
  expect(await list.read()).toBeUndefined();
  const { key } = await list.begin();
  expect(await list.read()).toEqual({ key, values: [] });
});
