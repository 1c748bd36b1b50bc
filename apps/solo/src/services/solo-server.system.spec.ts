import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { Logger } from '#libs/platform';
import { waitFor } from '#test/environment';
import { SoloServer } from './solo-server.js';

const said: string[] = [];
let folder: string;
let server: SoloServer;

const pid = () =>
  Number(readFileSync(join(server.folder, 'pgdata', 'postmaster.pid'), 'utf8').split('\n', 1)[0]);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'solo-server-'));
  const settings = { shared_buffers: '1MB', max_connections: '10' };
  const options = { folder, password: 'plain', durable: false, settings };
  const logger = new Logger('solo', { write: () => undefined });
  server = await SoloServer.start(options, { logger, say: (line) => said.push(line) });
});

afterEach(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a database server that ends unexpectedly is restarted at the same URL, and the terminal says so', async () => {
  const url = server.url();
  const killed = pid();
  process.kill(killed, 'SIGQUIT');
  await waitFor('the server', () => said.length === 2);
  expect(said[0]).toMatch(/^The database server has stopped unexpectedly; .* free some space/);
  expect(said[1]).toBe('The database server is running again.');
  expect(pid()).not.toBe(killed);
  const rows = await withClient(url, async (client) => (await client.query('select 1 as n')).rows);
  expect([url, rows]).toEqual([server.url(), [{ n: 1 }]]);
  await server.stop();
  expect(said).toHaveLength(2);
  expect(() => process.kill(pid(), 0)).toThrow();
});
