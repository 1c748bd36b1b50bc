import { afterEach, describe, expect, it } from '@jest/globals';
import { Writable } from 'node:stream';
import { Logger } from '#libs/platform';
import { waitFor } from '#test/environment';
import { Loop } from './loop.js';

const NEVER_MS = 2 ** 30;

describe('a loop', () => {
  const lines: string[] = [];
  const logger = new Logger(
    'loops',
    new Writable({
      write: (line: Buffer, _, done) => {
        lines.push((JSON.parse(line.toString()) as { msg: string }).msg);
        done();
      },
    }),
  );
  let loop: Loop;
  let turns = 0;

  function repeat(work: () => Promise<unknown>, intervalMs = NEVER_MS): Loop {
    [turns, lines.length] = [0, 0];
    const counted = async () => {
      turns += 1;
      return work();
    };
    return (loop = new Loop({ name: 'counting', intervalMs, logger, work: counted }));
  }
  /** Returns work that runs until it is told to end. */
  function gate(): { work: () => Promise<void>; open: () => void } {
    const ends: (() => void)[] = [];
    return {
      work: async () => new Promise((resolve) => ends.push(resolve)),
      open: () => ends.splice(0).forEach((end) => end()),
    };
  }

  afterEach(async () => loop.stop());

  it('the loop works at once, and its start resolves with the first turn', async () => {
    await repeat(async () => {}).start();
    expect(turns).toBe(1);
    await loop.start();
    expect(turns).toBe(1);
  });

  it('the loop works again after each interval, even after a failure', async () => {
    void repeat(async () => {
      if (turns % 2 === 0) throw new Error('no');
    }, 1).start();
    await waitFor('five turns', async () => turns >= 5);
  });

  it('a loop with a delay does not work at once', async () => {
    await repeat(async () => {}).start(NEVER_MS);
    expect(turns).toBe(0);
    loop.wake();
    expect(turns).toBe(1);
  });

  it('if the loop is woken while working, however often, it works once more, and never concurrently', async () => {
    const { work, open } = gate();
    void repeat(work).start();
    loop.wake();
    loop.wake();
    expect(turns).toBe(1);
    open();
    await waitFor('the second turn', async () => turns === 2);
    open();
    await loop.stop();
    expect(turns).toBe(2);
  });

  it('after a failure, the loop pauses for its interval, even if it was woken in the meantime', async () => {
    await repeat(async () => {
      loop.wake();
      throw new Error('no');
    }).start();
    expect(turns).toBe(1);
  });

  it('a failure is logged once until the work succeeds again', async () => {
    void repeat(async () => {
      if (turns < 4 || turns === 5) throw new Error('no');
    }, 1).start();
    await waitFor('seven turns', async () => turns >= 7);
    const [fails, works] = ['counting failed and is retried', 'counting works again'];
    expect(lines).toEqual([fails, works, fails, works]);
  });

  it('a turn without work does not count as recovery', async () => {
    const before: number[] = [];
    void repeat(async () => {
      before.push(lines.length);
      if (turns === 1) throw new Error('no');
      return turns < 4 ? false : undefined;
    }, 1).start();
    await waitFor('the fifth turn', async () => turns >= 5);
    expect(before.slice(0, 5)).toEqual([0, 1, 1, 1, 2]);
  });

  it('a stop waits for the current turn, and nothing wakes the loop again', async () => {
    const { work, open } = gate();
    void repeat(work).start();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await Promise.resolve();
    expect(isStopped).toBe(false);
    open();
    await stopped;
    loop.wake();
    void loop.start();
    expect(turns).toBe(1);
  });
});
