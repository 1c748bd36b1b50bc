import { describe, expect, it } from '@jest/globals';
import { StatementBatch, type Transaction } from '#libs/database';

describe('statement batch', () => {
  const [one, other] = [{} as Transaction, {} as Transaction];

  function newBatch() {
    const sent: number[][] = [];
    const batch = new StatementBatch<number, number>(async (_transaction, items) => {
      sent.push(items);
      if (items.includes(13)) throw new Error('unlucky');
      return items.map((item) => item * 10);
    });
    return { batch, sent };
  }

  it('simultaneous queries of one transaction are one statement, and each gets its own answer', async () => {
    const { batch, sent } = newBatch();
    const late = async () => {
      await Promise.resolve();
      return batch.add(one, 3);
    };
    const asked = [batch.add(one, 1), batch.add(other, 2), late(), batch.add(one, 4)];
    expect(await Promise.all(asked)).toEqual([10, 20, 30, 40]);
    expect(sent).toEqual([[1, 4, 3], [2]]);
    expect(await batch.add(one, 5)).toBe(50);
  });

  it('a failure affects all queries of the transaction, and no other transaction', async () => {
    const { batch } = newBatch();
    const ends = await Promise.allSettled([
      batch.add(one, 12),
      batch.add(one, 13),
      batch.add(other, 14),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  });
});
