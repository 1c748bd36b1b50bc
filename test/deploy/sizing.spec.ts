import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';
import { CHART } from './chart.js';

const BYTES_PER_LOGGED_REQUEST = 230;
const SECONDS_PER_DAY = 86_400;
const GATEWAY_PLANNED_PER_SECOND = 5_000;
const ASKS_REGISTRY = 1 / 3;
const CORE_USED = 0.5;

type Row = string[];

/** Returns the tables of a document, row by row, without their headings. */
function rowsOf(path: string): Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const numbersIn = (text: string) =>
  [...text.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));

describe('the sizing guide', () => {
  const rows = rowsOf('docs/operations/sizing.md');
  const benchmarks = new Map(rowsOf('docs/benchmarks.md').map(([name, value]) => [name, value]));
  const costs = rows.filter((row) => row.length === 3 && row[0] !== 'what');
  const costOf = (benchmark: string) => {
    const [, measured] = costs.find(([, , name]) => name === benchmark) as Row;
    return numbersIn(measured)[0];
  };

  it.each(costs)('%s: %s is the measured figure', (_what, measured, name) => {
    const found = benchmarks.get(name);
    expect([name, found]).toEqual([name, expect.any(String)]);
    expect(numbersIn(found as string)).toEqual(expect.arrayContaining(numbersIn(measured)));
  });

  it.each(['values.yaml', 'values-small.yaml', 'values-production.yaml'])(
    'a worker with the limit of %s has more memory than its measured maximum, which the guide states',
    (file) => {
      const values = load(readFileSync(`${CHART}/${file}`, 'utf8')) as Values;
      const limits = values.services?.worker?.resources?.limits ?? values.defaults.resources.limits;
      const [amount, unit] = [Number.parseInt(limits.memory, 10), limits.memory.slice(-2)];
      const limitMegabytes = (amount * (unit === 'Gi' ? 2 ** 30 : 2 ** 20)) / 1e6;
      const peaks = [...benchmarks]
        .filter(([name]) => name.startsWith("the worker's memory"))
        .map(([, measured]) => Math.max(...numbersIn(measured)));
      expect(peaks).toHaveLength(2);
      expect(limitMegabytes).toBeGreaterThan(Math.max(...peaks));
      const guide = readFileSync('docs/operations/sizing.md', 'utf8').replaceAll('\n', ' ');
      for (const peak of peaks) expect(guide).toContain(`${peak} MB for `);
    },
  );

  it('lists at least eight costs, from which it calculates processes and disk space', () => {
    expect(costs.length).toBeGreaterThanOrEqual(8);
    const lookupMs =
      costOf('bare Fastify and undici dispatch') / 1_000 +
      (ASKS_REGISTRY * 1_000) /
        costOf('port 43, complete lookups per second of CPU time (wall time)');
    const loads = rows.filter((row) => row.length === 8 && /^[\d,]+$/.test(row[0]));
    const gigabytes = (text: string) => numbersIn(text)[0] * (text.endsWith('TB') ? 1_000 : 1);
    expect(
      loads.map(([rate, gateway, lookup]) =>
        [rate, gateway, lookup].map((cell) => numbersIn(cell)[0]),
      ),
    ).toEqual(
      [1_000, 10_000, 100_000].map((rate) => [
        rate,
        1 + Math.ceil(rate / GATEWAY_PLANNED_PER_SECOND),
        1 + Math.ceil((rate * lookupMs) / 1_000 / CORE_USED),
      ]),
    );
    for (const row of loads) {
      const bytes = numbersIn(row[0])[0] * SECONDS_PER_DAY * BYTES_PER_LOGGED_REQUEST;
      expect(gigabytes(row[7]) / (bytes / 1e9)).toBeCloseTo(1, 1);
    }
  });
});

interface Values {
  defaults: { resources: { limits: { memory: string } } };
  services?: { worker?: { resources?: { limits: { memory: string } } } };
}
