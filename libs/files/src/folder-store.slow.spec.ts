import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openFiles } from '#libs/files';
import { DAY_MS, HOUR_MS, SystemClock, loadConfig } from '#libs/platform';
import { TestClock, makeOwnFolder } from '#test/environment';
import { fileStoreContract } from './file-store.contract.js';
import { FilesConfig } from './files.config.js';
import { FilesUnavailable } from './file-failures.js';
import { FolderStore } from './folder-store.js';

const MIB = 1024 ** 2;
const root = makeOwnFolder('files');
const openIn = (folder: string) => {
  const config = loadConfig(FilesConfig, { FILES_LOCATION: root });
  return openFiles(config, folder, new SystemClock());
};

afterAll(() => rmSync(root, { recursive: true, force: true }));

fileStoreContract('files in a folder', () => openIn('contract'));

describe('files in a folder', () => {
  it('files are readable only by their owner, and no partial file is left', async () => {
    const store = await openIn('private');
    await store.write('a/b', [Buffer.from('x')], { maxBytes: 9 });
    const modes = ['', 'a', 'a/b'].map((path) => statSync(join(root, 'private', path)).mode & 0o77);
    expect(modes).toEqual([0, 0, 0]);
    expect(readdirSync(join(root, 'private/.making'))).toEqual([]);
  });

  it('a partial file of a killed process is removed after a day, even if the process started again at once', async () => {
    const folder = join(root, 'killed');
    const making = join(folder, '.making');
    mkdirSync(making, { recursive: true });
    const clock = new TestClock();
    const nowMs = clock.now().getTime();
    const ages = { old: 25 * HOUR_MS, killed: HOUR_MS, written: -HOUR_MS };
    for (const [name, ageMs] of Object.entries(ages)) {
      writeFileSync(join(making, name), 'half');
      utimesSync(join(making, name), (nowMs - ageMs) / 1_000, (nowMs - ageMs) / 1_000);
    }
    const store = await FolderStore.open(folder, clock);
    expect(readdirSync(making).toSorted()).toEqual(['killed', 'written']);
    clock.advance(DAY_MS);
    await store.write('a', [], { maxBytes: 0 });
    expect(readdirSync(making)).toEqual(['written']);
  });

  it('writes that overlap with the removal of their folder leave no partial file, and the next write succeeds', async () => {
    const store = await openIn('busy');
    for (let round = 0; round < 50; round++) {
      const writing = store.write('job/1/file', [Buffer.from('x')], { maxBytes: 9 });
      await Promise.allSettled([writing, store.removeAll('job/1/')]);
    }
    await store.write('job/1/file', [Buffer.from('y')], { maxBytes: 9 });
    expect(existsSync(join(root, 'busy/job/1/file'))).toBe(true);
    expect(readdirSync(join(root, 'busy/.making'))).toEqual([]);
  });

  it('files in a folder have no addresses, because their owner streams them', async () => {
    const store = await openIn('addresses');
    const options = { lifetimeSeconds: 60, contentType: 'text/csv', disposition: 'attachment' };
    expect(await store.address('a', options)).toBeUndefined();
  });

  it('files leave free space for other programs on their disk', async () => {
    const folder = join(root, 'full');
    const clock = new SystemClock();
    const before = await FolderStore.open(folder, clock);
    await before.write('a', [Buffer.from('x')], { maxBytes: 9 });
    let looks = 0;
    const filling = await FolderStore.open(folder, clock, {
      share: 1,
      // There is enough free space when the write begins, but not when the file has grown.
      get bytes() {
        return looks++ === 0 ? 0 : Infinity;
      },
    });
    const written = filling.write('b', [Buffer.alloc(17 * MIB, 1)], { maxBytes: 32 * MIB });
    await expect(written).rejects.toThrow(FilesUnavailable);
    expect(readdirSync(join(folder, '.making'))).toEqual([]);
    const full = await FolderStore.open(folder, clock, { bytes: Infinity, share: 1 });
    await expect(full.write('b', [Buffer.from('x')], { maxBytes: 9 })).rejects.toThrow(
      FilesUnavailable,
    );
    await expect(full.check()).rejects.toThrow(FilesUnavailable);
    expect(await full.stat('a')).toMatchObject({ sizeBytes: 1 });
    await full.remove('a');
    expect(existsSync(join(folder, 'a'))).toBe(false);
  });

  it('the check detects a missing folder', async () => {
    const store = await openIn('gone');
    rmSync(join(root, 'gone'), { recursive: true });
    await expect(store.check()).rejects.toThrow('ENOENT');
  });
});
