import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type Server, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { portRefusal } from './before-build.js';
import { FolderLock } from './folder-lock.js';
import { DataFolder } from '../data-folder/data-folder.js';

/** Uses a clone in which nothing has been compiled yet. */
describe('npm start, before anything is compiled', () => {
  const clone = mkdtempSync(join(tmpdir(), 'dds-clone-'));
  const taken: Server = createServer();
  let port: string;

  beforeAll(async () => {
    for (const path of ['start.js', 'build.js', 'package.json', 'package-lock.json']) {
      cpSync(path, join(clone, path));
    }
    cpSync('apps/solo', join(clone, 'apps/solo'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    port = String((taken.address() as { port: number }).port);
  });

  afterAll(() => {
    taken.close();
    rmSync(clone, { recursive: true, force: true });
  });

  async function refused(settings: Record<string, string>): Promise<string> {
    const ports = { API_PORT: '0', DASHBOARD_PORT: '0', METRICS_PORT: '0' };
    const child: ChildProcess = spawn(process.execPath, ['start.js'], {
      cwd: clone,
      env: { PATH: process.env.PATH, ...ports, ...settings },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    }
    const [code] = (await once(child, 'close')) as [number];
    expect([code, existsSync(join(clone, 'dist'))]).toEqual([1, false]);
    return output;
  }

  it.each(['API_PORT', 'DASHBOARD_PORT', 'METRICS_PORT'])(
    'a port in use by %s is rejected, and nothing is created',
    async (setting) => {
      const output = await refused({ [setting]: port });
      expect(output).toContain(`Port ${port} is taken.`);
      expect(output).toContain(`${setting}=0`);
      expect(existsSync(join(clone, '.data'))).toBe(false);
    },
  );

  it('the remedy for a port that cannot be opened names no process that uses it', async () => {
    // No machine has this address.
    expect(await portRefusal(9, 'API_PORT', '192.0.2.1')).toEqual({
      what: 'Port 9 cannot be opened (EADDRNOTAVAIL).',
      remedy: 'Choose another port: API_PORT=0 selects a free port.',
    });
  });

  it('a folder in which an instance is already running is rejected, and the process is named', async () => {
    const folder = new DataFolder(join(clone, 'running'));
    folder.create();
    const lock = FolderLock.take(folder);
    expect(await refused({ DATA_DIR: folder.path, API_PORT: port })).toContain(
      `The product is already running in ${folder.path}, or still stopping (process ${process.pid}).`,
    );
    lock.release();
  });

  it('two builds at once keep each other’s compiled files, and remove the rest', async () => {
    const build = () => spawn(process.execPath, ['build.js'], { cwd: clone, stdio: 'inherit' });
    const [output, stray] = ['main', 'stray'].map((name) =>
      join(clone, `dist/apps/solo/src/${name}.js`),
    );
    expect(await once(build(), 'close')).toEqual([0, null]);
    // An unfinished build leaves no `.build.json`, and may leave files that have no source.
    rmSync(join(clone, 'dist/.build.json'));
    writeFileSync(stray, '');
    const both = Promise.all([once(build(), 'close'), once(build(), 'close')]);
    let isOver = false;
    void both.finally(() => (isOver = true));
    while (!isOver) {
      expect(readFileSync(output, 'utf8')).toContain('sourceMappingURL');
      await nextTurn();
    }
    expect(await both).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(existsSync(stray)).toBe(false);
  });
});
