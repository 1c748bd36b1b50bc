import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { EmbeddedServer } from '#libs/database';
import { DataFolder } from './data-folder/data-folder.js';
import { SERVER_FOLDER, recordServerFolder } from './data-folder/server-folder.js';
import { LOCK_FILE, commandFor } from './checks/before-build.js';

const { PATH, NODE_COMPILE_CACHE } = process.env;
const PROGRAM = new URL('stop.js', import.meta.url).pathname;
const fileOf = (name: string) => new URL(`${name}.js`, import.meta.url).href;

/** Locks the folder as a start would, and releases it 300 ms after SIGTERM. */
const HOLDER = `
  const { DataFolder } = await import('${fileOf('data-folder/data-folder')}');
  const { FolderLock } = await import('${fileOf('checks/folder-lock')}');
  const { writeFileSync } = await import('node:fs');
  const folder = new DataFolder(process.env.DATA_DIR);
  const lock = FolderLock.take(folder);
  const idle = setInterval(() => {}, 1000);
  process.once('SIGTERM', () => setTimeout(() => {
    writeFileSync(folder.file('drained'), '');
    lock.release();
    clearInterval(idle);
  }, 300));
  process.stdout.write('up');
`;

const smallServer = (folder: DataFolder) => ({
  folder: folder.file(SERVER_FOLDER),
  password: 'plain',
  durable: false,
  settings: { shared_buffers: '1MB', max_connections: '10' },
});

it('npm stop returns when everything has ended, and says so if nothing is running', async () => {
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'stop-')));
  const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder.path };
  const stop = () => spawnSync(process.execPath, [PROGRAM], { env, encoding: 'utf8' });
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLDER], { env });
  try {
    await once(holder.stdout, 'data');
    expect(stop()).toMatchObject({ status: 0, stdout: 'Stopping …\nStopped.\n' });
    expect(existsSync(folder.file('drained'))).toBe(true);
    expect(existsSync(folder.file(LOCK_FILE))).toBe(false);
    expect(stop()).toMatchObject({ status: 0, stdout: `Nothing is running in ${folder.path}.\n` });
  } finally {
    holder.kill('SIGKILL');
    rmSync(folder.path, { recursive: true, force: true });
  }
});

it('npm stop stops the database server that a killed process left running', async () => {
  const folder = new DataFolder(mkdtempSync(join(tmpdir(), 'stop-')));
  const server = await EmbeddedServer.start(smallServer(folder));
  try {
    recordServerFolder(folder, server.folder);
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: folder.path };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env });
    expect(stdout).toBe('Stopped the database server that a killed process had left running.\n');
    expect(server.isRunning).toBe(false);
  } finally {
    await server.stop();
    rmSync(folder.path, { recursive: true, force: true });
  }
});

it('npm stop in a copy of a data folder leaves the original’s database server running', async () => {
  const root = mkdtempSync(join(tmpdir(), 'stop-'));
  const [original, copy] = ['original', 'copy'].map((name) => new DataFolder(join(root, name)));
  original.create();
  const server = await EmbeddedServer.start(smallServer(original));
  try {
    recordServerFolder(original, server.folder);
    cpSync(original.path, copy.path, { recursive: true });
    const env = { PATH, NODE_COMPILE_CACHE, DATA_DIR: copy.path };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM], { env });
    expect(stdout).toBe(`Nothing is running in ${copy.path}.\n`);
    expect(server.isRunning).toBe(true);
  } finally {
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  }
});

it('the command that a start suggests names the data folder, unless it is the default', () => {
  expect(commandFor('.data', 'npm stop')).toBe('npm stop');
  expect(commandFor('/srv/dds', 'npm stop')).toBe('DATA_DIR=/srv/dds npm stop');
  expect(commandFor('/srv/my dds', 'npm stop')).toBe("DATA_DIR='/srv/my dds' npm stop");
});
