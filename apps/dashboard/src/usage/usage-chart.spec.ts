import { expect, it } from '@jest/globals';
import { usageChart } from './usage-chart.js';

const day = (date: string, requests: number, operation = 'whois.live') => ({
  date,
  operation,
  requests,
  failed: 0,
  credits: 0,
});

function barsOf(days: ReturnType<typeof day>[]): [string, number][] {
  const [from, to] = ['2026-02-27', '2026-03-02'];
  const totals = { requests: 0, credits: 0 };
  const { text } = usageChart({ status: true, from, to, totals, days });
  const bars = text.matchAll(/height="(\d+)"\s*>\s*<title>([^<]+)</g);
  return [...bars].map(([, height, title]) => [title, Number(height)]);
}

it('each day has a bar for the requests of all operations, even a day without requests', () => {
  const days = [
    day('2026-02-27', 1_000),
    day('2026-02-27', 1_000, 'dns.live'),
    day('2026-03-01', 500),
    day('2026-03-02', 1),
  ];
  expect(barsOf(days)).toEqual([
    ['2026-02-27: 2,000', 120],
    ['2026-02-28: 0', 0],
    ['2026-03-01: 500', 30],
    ['2026-03-02: 1', 2],
  ]);
});

it('if there were no requests at all, each day has an empty bar', () => {
  expect(barsOf([]).map(([, height]) => height)).toEqual([0, 0, 0, 0]);
});
