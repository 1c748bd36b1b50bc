import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { SABOTAGES } from './sabotage.js';

interface Report {
  histories: number;
  counts: Record<string, number>;
  trace: string;
  failed: number[];
  shown: { seed: number; replay: string }[];
}

type Found = Record<string, { violations: string[] }>;

const main = join(import.meta.dirname, 'main.js');
const folder = mkdtempSync(join(tmpdir(), 'dds-sim-spec-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of one run of the command, however slow the machine. */
const LIMIT_MS = 900_000;

let runs = 0;

/** The command in a process of its own, as it puts virtual time in the place of the real one. */
async function simulate<Json = Report>(options: string): Promise<{ code: number; report: Json }> {
  const json = join(folder, `${runs++}.json`);
  const words = [main, ...options.split(' '), '--json', json];
  const code = await new Promise<number>((resolve) => {
    const child = execFile(process.execPath, words, { timeout: LIMIT_MS }, () =>
      resolve(child.exitCode ?? -1),
    );
  });
  return { code, report: JSON.parse(readFileSync(json, 'utf8')) as Json };
}

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

  it(
    'notice each sabotage',
    async () => {
      const { code, report } = await simulate<Found>('--sabotage all --histories 2000 --from 1');
      expect(Object.keys(report).toSorted()).toEqual(Object.keys(SABOTAGES).toSorted());
      expect(code).toBe(0);
    },
    LIMIT_MS,
  );

  it(
    'that fail are made smaller, and the command that is shown replays what is left',
    async () => {
      const { report } = await simulate('--sabotage no-fence --histories 100 --from 1');
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
