import { describe, expect, it } from '@jest/globals';
import { withinTime } from './time-limit.js';

describe('time limit', () => {
  it('work that hangs fails with its name', async () => {
    const hanging = new Promise<void>(() => {});
    await expect(withinTime(hanging, 5, 'the handler')).rejects.toThrow(
      'the handler did not end within 5 ms',
    );
  });

  it('work that ends in time returns its own result or failure', async () => {
    await expect(withinTime(Promise.resolve(1), 5_000, 'it')).resolves.toBe(1);
    await expect(withinTime(Promise.reject(new Error('own')), 5_000, 'it')).rejects.toThrow('own');
  });

  it('work that ends in time leaves no timer behind', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
    const before = timers();
    await withinTime(Promise.resolve(1), 60_000, 'it');
    expect(timers()).toBe(before);
  });
});
