import { expect, it } from '@jest/globals';
import { readNames } from './new-names.js';

/** Counts the turns of the event loop that it takes to read these lists. */
async function turnsOf(lists: string[][]): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  count();
  for (const { lines, invalid } of await Promise.all(
    lists.map((list, n) => readNames(`account ${n}`, list)),
  )) {
    expect([lines, invalid]).toEqual([lists[0].length, 0]);
  }
  clearImmediate(next!);
  return turns;
}

const listOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `ünï-${n}.bücher.example.de`);

it('S105: other requests are answered while names are read, however many lists are being read', async () => {
  expect(await turnsOf([listOf(1_000)])).toBeGreaterThan(100);
  const lists = Array.from({ length: 20 }, () => listOf(50));
  expect(await turnsOf(lists)).toBeGreaterThan(100);
});

it('S105: an account’s list does not wait for all the lists of another account', async () => {
  const ended: string[] = [];
  const read = async (accountId: string) => {
    await readNames(accountId, listOf(100));
    ended.push(accountId);
  };
  await Promise.all([...Array.from({ length: 6 }, () => 'many'), 'one'].map(read));
  expect(ended.indexOf('one')).toBeLessThanOrEqual(1);
});
