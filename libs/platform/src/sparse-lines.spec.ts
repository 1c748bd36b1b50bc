import { expect, it } from '@jest/globals';
import { MINUTE_MS } from '#libs/platform';
import { SparseLines } from './sparse-lines.js';

function lines() {
  const due: { delayMs: number; run: () => void }[] = [];
  const written: string[] = [];
  const sparse = new SparseLines((delayMs, run) => void due.push({ delayMs, run }));
  const add = (kind: string, last = kind) =>
    sparse.add(kind, (count) => void written.push(`${last} ${count}`));
  const passMinute = () => {
    for (const { delayMs, run } of due.splice(0)) {
      expect(delayMs).toBe(MINUTE_MS);
      run();
    }
  };
  return { add, passMinute, written };
}

it('the first event of a flood is logged, and each later minute adds one line with the count', () => {
  const { add, passMinute, written } = lines();
  for (let i = 1; i <= 5_000; i += 1) add('timeout', `request ${i}`);
  expect(written).toEqual(['request 1 1']);
  passMinute();
  expect(written.splice(1)).toEqual(['request 5000 4999']);
  for (let i = 1; i <= 10; i += 1) add('timeout', `later ${i}`);
  expect(written).toHaveLength(1);
  passMinute();
  expect(written.splice(1)).toEqual(['later 10 10']);
  // A minute without lines ends the series, so the next line is written at once.
  passMinute();
  add('timeout', 'again');
  expect(written.splice(1)).toEqual(['again 1']);
});

it('kinds are counted separately, and lines of kinds beyond the limit are logged individually', () => {
  const { add, passMinute, written } = lines();
  for (let i = 0; i < 1_000; i += 1) add(`kind ${i}`);
  add('kind 7');
  expect(written.splice(0)).toHaveLength(1_000);
  add('kind 1000');
  add('kind 1000');
  expect(written.splice(0)).toEqual(['kind 1000 1', 'kind 1000 1']);
  passMinute();
  expect(written).toEqual(['kind 7 1']);
});
