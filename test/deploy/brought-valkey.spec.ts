import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { Valkey } from 'iovalkey';
import { freePorts } from '#libs/platform';
import { valkeyAvailability, waitFor } from '#test/environment';
import { CHART_VALUES } from './chart-values.js';
import { Chart, componentOf, workloadsOf } from './chart.js';
import { chartTools, chartToolsAvailability } from './tools/programs.js';

/** The time limit is long, because Helm is built first if this machine does not have it. */
jest.setTimeout(1_900_000);

const missing = chartToolsAvailability() ?? valkeyAvailability();
const program =
  spawnSync('valkey-server', ['--version']).status === 0 ? 'valkey-server' : 'redis-server';

(missing === undefined ? it : it.skip)(
  'S113: the chart’s Valkey accepts the passwords in its file, and rejects clients without one',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brought-valkey-'));
    const [port] = await freePorts(1);
    writeFileSync(join(folder, 'valkey_password'), 'the-next-word\nthe-word-before\n');
    const chart = new Chart((await chartTools()).helm);
    const resources = await chart.render(CHART_VALUES['brought along'] as string[]);
    const [pod] = workloadsOf(resources).filter((one) => componentOf(one) === 'valkey');
    const [said] = pod.spec.template.spec.containers[0].args;
    const script = said
      .replace('valkey-server -', `${program} - --bind 127.0.0.1 --port ${port}`)
      .replace('--dir /data', `--dir ${folder}`)
      .replace('/run/secrets', folder);
    const server = spawn('/bin/sh', ['-c', script], { stdio: 'ignore' });
    const answerTo = async (password?: string) => {
      const settings = { password, lazyConnect: true, retryStrategy: () => null };
      const client = new Valkey(port, '127.0.0.1', settings);
      const errors: string[] = [];
      client.on('error', ({ message }: Error) => errors.push(message));
      try {
        await client.connect();
        return await client.ping();
      } catch (error) {
        return [...errors, (error as Error).message].join();
      } finally {
        client.disconnect();
      }
    };
    try {
      await waitFor('it to answer', async () => (await answerTo('the-next-word')) === 'PONG');
      expect(await answerTo('the-word-before')).toBe('PONG');
      expect(await answerTo('another-word')).toMatch(/WRONGPASS|invalid username-password/);
      expect(await answerTo()).toMatch(/NOAUTH/);
    } finally {
      server.kill('SIGTERM');
      // The shell has replaced itself with the server (exec), so the server receives the signal directly.
      await waitFor('it to end', () => server.exitCode !== null || server.signalCode !== null);
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
