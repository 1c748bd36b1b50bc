import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '#test/environment';
import { childrenOf, ownProcess, pause, signal } from './processes.js';
import { skewedClock, skewedClockMissing } from './skewed-clock.js';

describe('processes', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    child = undefined;
  });

  const start = () => {
    child = spawn('sleep', ['60']);
    return ownProcess(child.pid as number);
  };
  const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1][0];

  it('a paused process stops and continues', async () => {
    const own = start();
    const paused = pause(own, 200);
    await waitFor('it to be paused', () => stateOf(own.pid) === 'T');
    await paused;
    await waitFor('it to continue', () => stateOf(own.pid) === 'S');
  });

  it('neither an ended process nor a later one with its id is signalled', async () => {
    const own = start();
    expect(signal({ ...own, startedAt: '1' }, 'SIGKILL')).toBe(false);
    expect(childrenOf(process.pid).map(({ pid }) => pid)).toContain(own.pid);
    const ended = once(child as ChildProcess, 'exit');
    expect(signal(own, 'SIGKILL')).toBe(true);
    await ended;
    expect(signal(own, 'SIGKILL')).toBe(false);
  });

  (skewedClockMissing() ? it.skip : it)(
    'a skewed clock is wrong by hours, but no other clock is',
    () => {
      const code = 'console.log(JSON.stringify([Date.now(), performance.now()]))';
      const run = spawnSync(process.execPath, ['-e', code], {
        env: { ...process.env, ...skewedClock(-25) },
        encoding: 'utf8',
      });
      const [wallMs, sinceStartMs] = JSON.parse(run.stdout) as [number, number];
      expect(Math.round((Date.now() - wallMs) / 3_600_000)).toBe(25);
      expect(sinceStartMs).toBeGreaterThan(0);
      expect(sinceStartMs).toBeLessThan(3_600_000);
    },
  );
});
