import { describe, expect, it } from '@jest/globals';
import { LIMIT_MS, simulate } from './run-command.js';

describe('simulated histories', () => {
  it(
    'of every scenario keep every promise',
    async () => {
      const { code, report } = await simulate('--histories 75 --from 1');
      expect(report).toMatchObject({ histories: 75, failed: [] });
      expect(report.counts).toEqual({ events: 25, credits: 25, auth: 25 });
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'that once failed do not fail any more',
    async () => {
      const { code, report } = await simulate('--regressions');
      expect(report.failed).toEqual([]);
      expect(report.histories).toBeGreaterThan(0);
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'follow from their seeds alone',
    async () => {
      const [one, same, other] = await Promise.all(
        ['--from 7', '--from 7', '--from 8'].map((from) => simulate(`--histories 12 ${from}`)),
      );
      expect(one.report.trace).toBe(same.report.trace);
      expect(one.report.trace).not.toBe(other.report.trace);
    },
    LIMIT_MS,
  );
});
