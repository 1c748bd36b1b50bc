import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountDeleted, AllowanceChanged, ApiKeyChanged } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import { type EventTransport, InProcessTransport, Outbox } from '#libs/messaging';
import { Logger, newId } from '#libs/platform';
import { TestClock, TestDatabase, recordedEvents } from '#test/environment';

const deletion = { deletedAt: '2026-03-02T09:00:00Z', restoreUntil: '2026-05-31T09:00:00Z' };

describe('outbox', () => {
  let test: TestDatabase;
  let database: Database;
  const outbox = new Outbox(
    'account',
    new TestClock(),
    new InProcessTransport({ logger: new Logger('test'), consumers: {} }),
  );

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('account');
  });
  afterAll(() => test.drop());

  async function sayDeleted(transaction: Transaction, accountId: string): Promise<void> {
    const lock = await outbox.lock(transaction, {
      key: accountId,
      aggregate: `account:${accountId}`,
    });
    await outbox.add(transaction, lock, AccountDeleted, deletion);
  }

  it('an event exists after the commit and not after a rollback', async () => {
    const [kept, lost] = [newId(), newId()];
    await database.transaction((transaction) => sayDeleted(transaction, kept));
    const rolledBack = database.transaction(async (transaction) => {
      await sayDeleted(transaction, lost);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    expect(await recordedEvents(database)).toEqual([
      {
        type: 'account.account-deleted',
        key: kept,
        aggregate: `account:${kept}`,
        data: deletion,
      },
    ]);
  });

  it('the relay is woken once an event is committed: not before, and not after a rollback', async () => {
    const woken: string[] = [];
    const transport = { wake: (producer: string) => woken.push(producer) };
    const waking = new Outbox(
      'account',
      new TestClock(),
      transport as Partial<EventTransport> as EventTransport,
    );
    const write = async (transaction: Transaction) => {
      const key = newId();
      const lock = await waking.lock(transaction, { key, aggregate: `account:${key}` });
      await waking.add(transaction, lock, AccountDeleted, deletion);
      expect(woken).toEqual([]);
    };
    const rolledBack = database.transaction(async (transaction) => {
      await write(transaction);
      throw new Error('no');
    });
    await expect(rolledBack).rejects.toThrow('no');
    await database.transaction(write);
    expect(woken).toEqual(['account']);
  });

  it('an event outside a transaction does not compile and is rejected', async () => {
    const accountId = newId();
    const request = { key: accountId, aggregate: `account:${accountId}` };
    // @ts-expect-error -- a database is not a transaction
    const overDatabase = () => outbox.lock(database, request);
    expect(overDatabase).toBeDefined();
    const kept = await database.transaction(async (transaction) => ({
      transaction,
      lock: await outbox.lock(transaction, request),
    }));
    await expect(outbox.lock(kept.transaction, request)).rejects.toThrow('the transaction is over');
    await expect(outbox.add(kept.transaction, kept.lock, AccountDeleted, deletion)).rejects.toThrow(
      'the transaction is over',
    );
    const elsewhere = database.transaction((other) =>
      outbox.add(other, kept.lock, AccountDeleted, deletion),
    );
    await expect(elsewhere).rejects.toThrow('belongs to another transaction');
  });

  it('a lock is valid for one well-formed event of this service', async () => {
    const accountId = newId();
    await database.transaction(async (transaction) => {
      const lock = await outbox.lock(transaction, {
        key: accountId,
        aggregate: `account:${accountId}`,
      });
      const malformed = { keyId: 'not an id', state: 'active' as const };
      await expect(outbox.add(transaction, lock, ApiKeyChanged, malformed)).rejects.toThrow(
        'account.api-key-changed is malformed: keyId must be a UUID',
      );
      await expect(
        outbox.add(transaction, lock, AllowanceChanged, { version: '1' }),
      ).rejects.toThrow('account may not publish entitlement.allowance-changed');
      const withAddress = { ...deletion, address: 'jane@example.test' };
      await expect(outbox.add(transaction, lock, AccountDeleted, withAddress)).rejects.toThrow(
        'account.account-deleted is malformed: address is not declared',
      );
      await outbox.add(transaction, lock, AccountDeleted, deletion);
      await expect(outbox.add(transaction, lock, AccountDeleted, deletion)).rejects.toThrow(
        'was already used for an event',
      );
    });
  });

  it('sequences and positions rise together under concurrent writers of one aggregate', async () => {
    const accountId = newId();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let turn = 0; turn < 15; turn++) {
          await database.transaction((transaction) => sayDeleted(transaction, accountId));
        }
      }),
    );
    const rows = await database.query<{ position: string; sequence: string }>(
      'select position, sequence from outbox where key = $1 order by position',
      [accountId],
    );
    expect(rows).toHaveLength(120);
    const sequences = rows.map(({ sequence }) => BigInt(sequence));
    expect(sequences.every((value, index) => index === 0 || value > sequences[index - 1])).toBe(
      true,
    );
  });

  it('a sequence rises even if the database’s clock was set back', async () => {
    const accountId = newId();
    await database.transaction((transaction) => sayDeleted(transaction, accountId));
    const [{ ahead }] = await database.query<{ ahead: string }>(
      `update event_sequence set sequence = sequence + 3600000000 where aggregate = $1
       returning sequence as ahead`,
      [`account:${accountId}`],
    );
    await database.transaction((transaction) => sayDeleted(transaction, accountId));
    const rows = await database.query<{ sequence: string }>(
      'select sequence from outbox where key = $1 order by position',
      [accountId],
    );
    expect(BigInt(rows[1].sequence)).toBe(BigInt(ahead) + 1n);
  });
});
