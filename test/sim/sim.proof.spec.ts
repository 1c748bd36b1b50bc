import { describe, expect, it } from '@jest/globals';
import { LIMIT_MS, simulate } from './run-command.js';
import { SABOTAGES } from './sabotage.js';

describe('simulated histories', () => {
  it(
    'detect each sabotage',
    async () => {
      const { code, report } = await simulate<object>('--sabotage all --histories 2000 --seed 1');
      expect(Object.keys(report).toSorted()).toEqual(Object.keys(SABOTAGES).toSorted());
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'are reduced if they fail, and the printed command replays the reduced history',
    async () => {
      const { report } = await simulate('--sabotage no-inbox --histories 100 --seed 1');
      const { violations, replay } = report.failed!;
      const [, words] = replay.split(' -- ');
      const again = await simulate(words);
      expect(again.report).toMatchObject({ histories: 1, failed: { violations } });
      const { code, report: sound } = await simulate(words.replace(/ --sabotage .*/, ''));
      expect(sound).not.toHaveProperty('failed');
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );
});
