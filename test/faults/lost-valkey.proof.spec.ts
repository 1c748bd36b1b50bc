import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { valkeyAvailability } from '#test/environment';

const MODULES = new URL('../../', import.meta.url).href;

/** A server that disappears and returns, behind a balancer that continues to accept connections. */
const PROGRAM = `
  const { setTimeout: sleep } = await import('node:timers/promises');
  const { ValkeyServer, waitFor } = await import('${MODULES}test/environment/index.js');
  const { CounterId, openCounters } = await import('${MODULES}libs/counters/src/index.js');
  const { TcpProxy } = await import('${MODULES}test/faults/tcp-proxy.js');
  const server = await ValkeyServer.start({ folder: process.argv[1] });
  const proxy = await TcpProxy.before(server.url);
  let complaints = 0;
  const logger = { warn: () => complaints++ };
  const gatewayId = '0197c000-0000-7000-8000-000000000009';
  const counters = await openCounters({ url: proxy.through(server.url), gatewayId, secret: 'any', logger });
  const before = proxy.accepted;
  server.kill('SIGKILL');
  await waitFor('the counters to try again', () => proxy.accepted >= before + 6);
  await server.restart();
  const id = new CounterId('0197c000-0000-7000-8000-000000000001');
  await waitFor('an answer', async () => (await counters.rateLimiter.take(id, 0, 1000)).allowed);
  await counters.close();
  await proxy.stop();
  await server.stop();
  console.log(complaints > 0 ? 'survived' : 'nothing was lost');
  process.exit();`;

(valkeyAvailability() ? describe.skip : describe)('a lost Valkey', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'lost-valkey-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('does not end the process, even if connections are accepted and then reset', () => {
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', PROGRAM, folder], {
      encoding: 'utf8',
      timeout: 240_000,
    });
    expect([run.stdout, run.stderr.split('\n').at(4) ?? '']).toEqual(['survived\n', '']);
    expect(run.status).toBe(0);
  }, 300_000);
});
