import { describe, expect, it } from '@jest/globals';
import { JoinedRuns } from './joined-runs.js';

describe('shared work', () => {
  it('runs once for all calls that arrive while it is running, and again for later ones', async () => {
    const runs = new JoinedRuns<number>();
    const { promise, resolve } = Promise.withResolvers<void>();
    let started = 0;
    const ask = (key: string) =>
      runs.join(key, undefined, async () => {
        const number = (started += 1);
        await promise;
        return number;
      });
    const answers = Array.from({ length: 10_000 }, () => ask('a'));
    const other = ask('b');
    expect(started).toBe(2);
    resolve();
    expect(new Set(await Promise.all(answers))).toEqual(new Set([1]));
    expect(await other).toBe(2);
    expect(await ask('a')).toBe(3);
  });

  it('is not cancelled once it has ended', async () => {
    const runs = new JoinedRuns<string>();
    let ended: AbortSignal | undefined;
    const answer = await runs.join('a', undefined, async ({ signal }) => {
      ended = signal;
      return 'done';
    });
    expect([answer, ended?.aborted, runs.has('a')]).toEqual(['done', false, false]);
  });

  it('is cancelled when the last caller has left, not before', async () => {
    const runs = new JoinedRuns<string>();
    const ended: AbortSignal[] = [];
    const [first, second] = [new AbortController(), new AbortController()];
    const ask = (signal: AbortSignal) =>
      runs.join('a', signal, ({ signal: end }) => {
        ended.push(end);
        return new Promise<string>(() => {});
      });
    const asked = [ask(first.signal), ask(second.signal)];
    first.abort(new Error('gone'));
    await expect(asked[0]).rejects.toThrow('gone');
    expect(ended.map(({ aborted }) => aborted)).toEqual([false]);
    second.abort(new Error('gone, too'));
    await expect(asked[1]).rejects.toThrow('gone, too');
    expect(ended.map(({ aborted }) => aborted)).toEqual([true]);
    expect(runs.has('a')).toBe(false);
    await expect(ask(first.signal)).rejects.toThrow('gone');
    expect(ended).toHaveLength(1);
  });

  it('fails for all callers if it fails, and may be retried', async () => {
    const runs = new JoinedRuns<string>();
    let isBroken = true;
    const ask = () =>
      runs.join('a', undefined, async () => {
        if (isBroken) throw new Error('broken');
        return 'done';
      });
    const asked = await Promise.allSettled([ask(), ask()]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await ask()).toBe('done');
  });
});
