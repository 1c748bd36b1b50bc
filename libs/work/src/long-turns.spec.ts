import { describe, expect, it } from '@jest/globals';
import { SECOND_MS } from '#libs/platform';
import { LongTurns } from './long-turns.js';

describe('long items', () => {
  const item = (accountId: string, number: number) => ({ accountId, id: `${accountId} ${number}` });

  it('S105: long items are done one at a time, and accounts take turns, however many items one has', () => {
    const turns = new LongTurns();
    const many = [1, 2, 3].map((number) => item('many', number));
    const one = item('one', 1);
    expect([turns.begin(many[0], 0), turns.begin(many[0], 0)]).toEqual([true, true]);
    expect([turns.begin(many[1], 0), turns.begin(one, 0)]).toEqual([false, false]);
    turns.end(many[1]);
    expect(turns.begin(many[1], 0)).toBe(false);
    turns.end(many[0]);
    expect([turns.begin(one, 1), turns.begin(many[2], 1)]).toEqual([false, true]);
    turns.end(many[2]);
    expect([turns.begin(many[1], 2), turns.begin(one, 2)]).toEqual([false, true]);
  });

  it('long items no longer wait for an account that has not asked for ten seconds', () => {
    const turns = new LongTurns();
    const [running, gone, next] = ['running', 'gone', 'next'].map((name) => item(name, 1));
    turns.begin(running, 0);
    turns.begin(gone, 0);
    turns.end(running);
    expect(turns.begin(next, 10 * SECOND_MS)).toBe(false);
    expect(turns.begin(next, 10 * SECOND_MS + 1)).toBe(true);
  });
});
