import { expect, it } from '@jest/globals';
import { stackedChart } from './stacked-chart.js';
import { csvOf } from '../pages/csv.js';
import { seriesOf } from './usage-series.js';

const day = (date: string, name: string, requests: number) => ({
  date,
  name,
  requests,
  failed: 0,
  credits: 0,
});
const FROM_TO = { from: '2026-02-27', to: '2026-03-01' };

it('the parts of a day are stacked without a gap, and the name with the most requests is at the bottom', () => {
  const days = [
    day('2026-02-27', 'dns.live', 250),
    day('2026-02-27', 'whois.live', 750),
    day('2026-03-01', 'whois.live', 500),
  ];
  const { text } = stackedChart('Requests a day', FROM_TO, seriesOf(days, 'requests'));
  const bars = text.matchAll(/y="(\d+)"\s+width="8"\s+height="(\d+)"\s*>\s*<title>([^<]+)</g);
  expect([...bars].map(([, y, height, title]) => [title, Number(y), Number(height)])).toEqual([
    ['2026-02-27, whois.live: 750', 30, 90],
    ['2026-02-27, dns.live: 250', 0, 30],
    ['2026-03-01, whois.live: 500', 60, 60],
  ]);
  expect(text).toContain('aria-label="Requests a day, 1,000 at most"');
});

it('five names have colours of their own, and the others share a colour', () => {
  const days = Array.from({ length: 9 }, (_, place) => day('2026-02-27', `op${place}`, place));
  const all = seriesOf(days, 'requests').map(({ name, total }) => [name, total]);
  expect(all).toEqual([
    ['op8', 8],
    ['op7', 7],
    ['op6', 6],
    ['op5', 5],
    ['op4', 4],
    ['others', 6],
  ]);
});

it('S74: a name that a spreadsheet would read as a formula is text, and quotes stay within their cell', () => {
  const rows = [
    ['=HYPERLINK("x")', -1],
    ['+1', -1],
    ['a,b', -1],
    ['plain', -1],
  ];
  expect(csvOf(['name', 'count'], rows)).toBe(
    `name,count\r\n"'=HYPERLINK(""x"")",-1\r\n"'+1",-1\r\n"a,b",-1\r\nplain,-1\r\n`,
  );
});
