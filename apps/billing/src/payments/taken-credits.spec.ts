import { expect, it } from '@jest/globals';
import type { Reversal } from '../payment-records/reversal.entity.js';
import { takenCredits } from './taken-credits.js';

const LINES = [{ id: 'line', amountMicros: 100n, taxMicros: 0n, startsAt: null, credits: 1_000n }];
const reversal = (id: string, changes: object) =>
  ({ id, state: 'final', amountMicros: 60n, startsAt: null, ...changes }) as Reversal;
const FIRST = reversal('first', { createdAt: new Date(1) });
const SECOND = reversal('second', { createdAt: new Date(2) });

it('a later reversal takes only the credits that are left', () => {
  expect(takenCredits(FIRST, [FIRST, SECOND], LINES)).toBe(600n);
  expect(takenCredits(SECOND, [FIRST, SECOND], LINES)).toBe(400n);
});

it('a reversal that is undone restores only the credits that a later one does not take', () => {
  const undone: Reversal = { ...FIRST, state: 'undone' };
  expect(takenCredits(undone, [FIRST, SECOND], LINES)).toBe(400n);
});
