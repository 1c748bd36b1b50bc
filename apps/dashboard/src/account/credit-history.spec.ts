import { expect, it } from '@jest/globals';
import { creditHistory } from './credit-history.js';

const NOW = new Date('2026-11-20T12:00:00Z');
const BALANCE = {
  spendable: 60,
  reserved: 20,
  recallable: 0,
  pending: 5,
  frozen: 0,
  debt: 0,
  grants: [],
};

const DAYS = [
  { day: '2026-11-20', amount: -10 },
  { day: '2026-11-19', amount: -5 },
  { day: '2026-11-18', amount: 100 },
];

it('the credits at the end of each day are the current balance minus all later changes', () => {
  const { from, to, byDay } = creditHistory(
    { balance: BALANCE, changes: { days: DAYS, is_whole: true } },
    NOW,
  );
  expect([from, to, byDay.size]).toEqual(['2026-10-22', '2026-11-20', 30]);
  expect([...byDay].slice(-4)).toEqual([
    ['2026-11-17', 0],
    ['2026-11-18', 100],
    ['2026-11-19', 95],
    ['2026-11-20', 80],
  ]);
});

it('if older changes are missing, the history begins with the oldest day that has changes', () => {
  const { byDay } = creditHistory(
    { balance: BALANCE, changes: { days: DAYS, is_whole: false } },
    NOW,
  );
  expect([...byDay.keys()]).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
});
