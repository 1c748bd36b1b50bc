import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type BenchOptions, type BenchReport, type BenchRow, atMost } from './bench.js';
import { cleanup } from './cleanup.js';
import type { MatchFigures, MatchTerms } from './monitors/match-names.js';

const BRANDS = 10_000;
const NAMES = 300_000;
const PROGRAM = fileURLToPath(new URL('./monitors/match-names.js', import.meta.url));

/** `npm run bench monitors`: matches a day's new names against the brands of all customers, in a separate process. */
export async function measure({ isShort }: BenchOptions): Promise<BenchReport> {
  const names = isShort ? NAMES / 10 : NAMES;
  const rows: BenchRow[] = [];
  for (const withTypos of [false, true]) {
    const { compileMs, wallMs, cpuMs, hits, peakMib } = await match({
      brands: BRANDS,
      names,
      withTypos,
    });
    const count = (number: number) => number.toLocaleString('en');
    const what = `${count(BRANDS)} brands, ${count(names)} names${withTypos ? ', with typos' : ''}`;
    const targetMs = ((withTypos ? 20_000 : 5_000) * names) / NAMES;
    rows.push(
      atMost(`${what}: wall-clock time`, wallMs, targetMs, 'ms'),
      { what: `${what}: processor time`, value: Math.round(cpuMs), unit: 'ms' },
      { what: `${what}: compiled in`, value: Math.round(compileMs), unit: 'ms' },
      { what: `${what}: finds`, value: hits, unit: '' },
      atMost(`${what}: peak resident memory`, peakMib, 256, 'MiB'),
    );
  }
  return { title: 'monitors: new names against brands', rows };
}

async function match(terms: MatchTerms): Promise<MatchFigures> {
  const child = fork(PROGRAM);
  cleanup.add(async () => void child.kill());
  child.send(terms);
  const [figures] = (await once(child, 'message')) as [MatchFigures];
  return figures;
}
