import { describe, expect, it } from '@jest/globals';
import { LIMIT_MS, simulate } from './run-command.js';

describe('simulated histories', () => {
  it(
    'violate no guarantee',
    async () => {
      const { code, report } = await simulate('--histories 25 --seed 1');
      expect(report).not.toHaveProperty('failed');
      expect(report.histories).toBe(25);
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'depend only on their seeds, no matter what ran before them in the process',
    async () => {
      const [whole, last] = await Promise.all(
        ['--histories 12 --seed 7', '--seed 7 --path 11'].map((options) => simulate(options)),
      );
      expect(new Set(whole.report.traces).size).toBe(12);
      expect(last.report.traces).toEqual(whole.report.traces.slice(-1));
    },
    LIMIT_MS,
  );
});
