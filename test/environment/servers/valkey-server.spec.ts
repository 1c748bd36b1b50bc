import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ValkeyServer, valkeyAvailability, waitFor } from '../index.js';

const base = mkdtempSync(join(tmpdir(), 'dds-valkey-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/**
 * Sends one command.
 * @returns the first chunk of the answer.
 */
async function ask(url: string, command: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${command}\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().trim();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const here = valkeyAvailability() === undefined ? describe : describe.skip;

here('ValkeyServer', () => {
  it('is empty after it is killed and restarted on the same port', async () => {
    const server = await ValkeyServer.start({ folder: join(base, 'restart') });
    const { url } = server;
    expect(await ask(url, 'SET name value')).toBe('+OK');
    server.kill('SIGKILL');
    await server.restart();
    expect(server.url).toBe(url);
    expect(await ask(url, 'EXISTS name')).toBe(':0');
    await server.stop();
    await expect(ask(url, 'PING')).rejects.toThrow('ECONNREFUSED');
  });

  it('ends with the process that started it', async () => {
    const script = `
      const { ValkeyServer } = await import('#test/environment');
      const server = await ValkeyServer.start({ folder: ${JSON.stringify(join(base, 'owned'))} });
      console.log(server.pid);
      setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script]);
    const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
    const pid = Number(line);
    expect(isAlive(pid)).toBe(true);
    owner.kill('SIGKILL');
    await waitFor('the server to end', () => !isAlive(pid));
  });
});
