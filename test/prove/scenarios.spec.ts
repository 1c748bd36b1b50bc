import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CRASH_POINTS } from '#libs/platform';
import { Random } from '../random.js';
import { closing } from './report.js';
import { type ScenarioResult, isNamed } from './scenario.js';
import { SCENARIOS } from './scenarios/index.js';

const PAGE = 'docs/operations/when-something-dies.md';

describe('fault matrix', () => {
  it('every scenario has its own name', () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('the operations page names exactly the existing scenarios', () => {
    const page = readFileSync(PAGE, 'utf8');
    const lines = page.split('\n').filter((line) => line.startsWith('|'));
    const named = lines.flatMap((line) =>
      [...(line.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    const names = SCENARIOS.map(({ name }) => name);
    const isThere = (text: string) => SCENARIOS.some((scenario) => isNamed(scenario, text));
    expect(named.filter((text) => !isThere(text))).toEqual([]);
    expect(names.filter((name) => !named.some((text) => isNamed({ name }, text)))).toEqual([]);
  });

  it('every crash point is used in a scenario', () => {
    const points = SCENARIOS.filter(({ name }) => name.startsWith('crash ')).flatMap(({ name }) =>
      name.slice('crash '.length).split(', '),
    );
    // `imports/kills.system.spec.ts` kills corpus at these points.
    const inSpecs = ['import.before-commit', 'import.after-commit'];
    const unused = Object.keys(CRASH_POINTS).filter((point) => !points.includes(point));
    expect(unused).toEqual(inSpecs);
    expect(points.filter((point) => !(point in CRASH_POINTS))).toEqual([]);
  });

  it('a seed repeats the choices of each scenario, no matter which others run', () => {
    const choices = (random: Random) => [1, 2, 3].map(() => random.between(1, 1000));
    const [first, again] = [new Random(7).for('kill account'), new Random(7)];
    again.for('another scenario').next();
    expect(choices(again.for('kill account'))).toEqual(choices(first));
    expect(choices(new Random(8).for('kill account'))).not.toEqual(
      choices(new Random(7).for('kill account')),
    );
  });

  it('the report says why a scenario was not run, and counts it separately', () => {
    const scenario = { seed: 1, durationMs: 0, counts: { kills: 2 } };
    const scenarios: ScenarioResult[] = [
      { ...scenario, name: 'one', outcome: 'passed' },
      { ...scenario, name: 'two', outcome: 'not run', reason: 'java is missing' },
    ];
    expect(closing(scenarios, '7')).toMatch(
      /^1 passed, 0 failed, 1 not run, seed 7\n.*two.*java is missing$/,
    );
  });
});
