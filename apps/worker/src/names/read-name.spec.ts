import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { Registries } from '#libs/resolvers';
import { NOBODY, upstreamOf, useRegistries } from './read-name.js';

const folder = mkdtempSync(join(tmpdir(), 'tables-'));
afterAll(() => {
  useRegistries(Registries.vendored());
  rmSync(folder, { recursive: true });
});

it('names have the upstreams of the tables that lookup was given', () => {
  expect(upstreamOf('a.newtld')).toBe(NOBODY);
  const file = join(folder, 'tables.json');
  const rdap = { 'https://rdap.nic.newtld/': ['newtld'] };
  writeFileSync(file, JSON.stringify({ rdap, whois: {}, tlds: ['newtld'] }));
  useRegistries(Registries.fromFile(file));
  expect(upstreamOf('a.newtld')).toBe('rdap.nic.newtld');
});
