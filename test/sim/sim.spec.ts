import { describe, expect, it } from '@jest/globals';
import { LIMIT_MS, simulate } from './run-command.js';

describe('simulated histories', () => {
  it(
    'keep every promise',
    async () => {
      const { code, report } = await simulate('--histories 25 --from 1');
      expect(report).toMatchObject({ histories: 25, failed: [] });
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'depend only on their seeds, whatever ran before them in the process',
    async () => {
      const [whole, first, rest] = await Promise.all(
        ['--histories 12 --from 7', '--histories 6 --from 7', '--histories 6 --from 13'].map(
          async (options) => simulate(options),
        ),
      );
      const [begun, ended] = [first, rest].map(({ report }) => Number.parseInt(report.trace, 16));
      const joined = (Math.imul(begun, 31 ** 6) + ended) >>> 0;
      expect(whole.report.trace).toBe(joined.toString(16).padStart(8, '0'));
      expect(begun).not.toBe(ended);
    },
    LIMIT_MS,
  );
});
