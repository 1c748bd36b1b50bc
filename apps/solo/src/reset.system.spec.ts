import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataFolder } from './data-folder/data-folder.js';
import { SERVER_FOLDER, recordServerFolder } from './data-folder/server-folder.js';
import { FolderLock } from './checks/folder-lock.js';

const PROGRAM = new URL('reset.js', import.meta.url).pathname;

describe('npm run reset', () => {
  let folder: DataFolder;

  beforeEach(() => {
    folder = new DataFolder(mkdtempSync(join(tmpdir(), 'reset-')));
    folder.writePrivateJson('secrets.json', {});
  });

  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));

  const reset = () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder.path };
    const options = { env, encoding: 'utf8', timeout: 150_000 } as const;
    return spawnSync(process.execPath, [PROGRAM, '--yes'], options);
  };

  const cluster = () => {
    const inner = new DataFolder(folder.file('cluster'));
    inner.create();
    inner.writePrivateJson('secrets.json', {});
    return inner;
  };

  it('nothing is removed while a cluster is running in the folder', () => {
    FolderLock.take(cluster(), 'cluster.json');
    const { status, stdout } = reset();
    expect(stdout).toContain('A cluster is running in ');
    expect(stdout).toContain(`Stop it first: kill ${process.pid}`);
    expect(status).toBe(1);
    expect(existsSync(folder.file('cluster/secrets.json'))).toBe(true);
  });

  it('a stopped cluster is removed with the rest', () => {
    FolderLock.take(cluster(), 'cluster.json').release();
    recordServerFolder(folder, folder.file(SERVER_FOLDER));
    const { status, stdout } = reset();
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('begins with an empty installation'),
    ]);
    expect(existsSync(folder.path)).toBe(false);
  });

  it('a reset of a copy of a data folder does not remove the original’s database', () => {
    const original = mkdtempSync(join(tmpdir(), 'original-'));
    recordServerFolder(folder, original);
    const { status, stdout } = reset();
    expect([status, stdout]).toEqual([
      0,
      expect.stringContaining('begins with an empty installation'),
    ]);
    expect([existsSync(folder.path), existsSync(original)]).toEqual([false, true]);
    rmSync(original, { recursive: true });
  });

  it('a database on the operator’s own server is not removed, and the message says so', () => {
    const { status, stdout } = reset();
    expect([status, stdout]).toEqual([0, expect.stringContaining('drop its database domain_data')]);
    expect(stdout).not.toContain('empty installation');
    expect(existsSync(folder.path)).toBe(false);
  });
});
