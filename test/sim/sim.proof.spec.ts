import { describe, expect, it } from '@jest/globals';
import type { Tally } from './histories.js';
import { LIMIT_MS, simulate } from './run-command.js';
import { SABOTAGES } from './messaging-statements.js';

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
      type Found = Record<string, Tally['failed']>;
      const { report } = await simulate<Found>('--sabotage no-inbox --histories 100 --seed 1');
      const { violations, replay } = report['no-inbox']!;
      const [, words] = replay.split(' -- ');
      const again = await simulate<Found>(words);
      expect(again.report).toEqual({ 'no-inbox': { violations, replay } });
      const { code, report: sound } = await simulate(words.replace(/ --sabotage .*/, ''));
      expect(sound).not.toHaveProperty('failed');
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );
});
