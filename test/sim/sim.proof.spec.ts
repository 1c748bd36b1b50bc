import { describe, expect, it } from '@jest/globals';
import { LIMIT_MS, simulate } from './run-command.js';
import { SABOTAGES } from './sabotage.js';

type Found = Record<string, { violations: string[] }>;

describe('simulated histories', () => {
  it(
    'detect each sabotage',
    async () => {
      const { code, report } = await simulate<Found>('--sabotage all --histories 2000 --from 1');
      expect(Object.keys(report).toSorted()).toEqual(Object.keys(SABOTAGES).toSorted());
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'are reduced if they fail, and the printed command replays the reduced history',
    async () => {
      const { report } = await simulate('--sabotage no-inbox --histories 100 --from 1');
      const [{ seed, replay }] = report.shown;
      expect(replay).toMatch(/--size [0-9] /);
      const [, words] = replay.split(' -- ');
      expect((await simulate(words)).report).toMatchObject({ histories: 1, failed: [seed] });
      const { code, report: sound } = await simulate(words.replace(/ --sabotage .*/, ''));
      expect(sound).toMatchObject({ histories: 1, failed: [] });
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );
});
