import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { ParkedEvent } from './parked-event.entity.js';
import { ParkedEvents } from './parked-events.js';
import { ParkedRepository } from './parked.repository.js';

const HOUR_MS = 3_600_000;

describe('parked events', () => {
  let test: TestDatabase;
  let database: Database;
  let parked: ParkedEvents;
  const repository = new ParkedRepository('entitlement');

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('entitlement', [ParkedEvent]);
    parked = new ParkedEvents(database);
  });
  afterAll(() => test.drop());

  async function park(
    key: string,
    type: string,
    state: 'parked' | 'dead',
    delayMs: number | undefined = HOUR_MS,
  ): Promise<string> {
    const id = newId();
    const message = { id, topic: 'account.events', bucket: 1, key, body: '{}' };
    await database.transaction((transaction) =>
      repository.insert(transaction, message, {
        type,
        state,
        reason: 'not now',
        attempts: 3,
        delayMs,
      }),
    );
    return id;
  }
  const dueQueues = () =>
    database.transaction((transaction) => repository.listDueQueues(transaction, 10));
  const idsOf = (events: { eventId: string }[]) => events.map(({ eventId }) => eventId);

  it('are listed page by page in the order they came in', async () => {
    const key = newId();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await park(key, 'account.counted', 'parked'));
    const first = await parked.list({ key, limit: 3 });
    const second = await parked.list({ key, limit: 3, after: first[2].arrival });
    expect(idsOf([...first, ...second])).toEqual(ids);
  });

  it('are redriven by a filter, dead ones included, and due at once', async () => {
    const [one, two] = [newId(), newId()];
    await park(one, 'account.invoice-lost', 'dead');
    await park(two, 'account.invoice-lost', 'parked');
    const other = await park(one, 'account.counted', 'dead');
    expect(await dueQueues()).toEqual([]);
    expect(await parked.redrive({ type: 'account.invoice-lost' })).toBe(2);
    expect((await dueQueues()).map(({ key }) => key).toSorted()).toEqual([one, two].toSorted());
    expect(idsOf(await parked.list({ key: one, state: 'dead' }))).toEqual([other]);
  });

  it('a queue whose head is not due stays, even when a later one is', async () => {
    const key = newId();
    await park(key, 'account.counted', 'parked');
    const later = await park(key, 'account.counted', 'parked');
    await parked.redrive({ eventId: later });
    expect((await dueQueues()).filter((queue) => queue.key === key)).toEqual([]);
  });

  it('what waited behind an event that is gone is let through, one of each key', async () => {
    const key = newId();
    const head = await park(key, 'account.counted', 'parked');
    const waiting = () =>
      database.transaction((transaction) =>
        repository.insert(
          transaction,
          { id: newId(), topic: 'account.events', bucket: 1, key, body: '{}' },
          { type: 'account.counted', state: 'parked', reason: 'waits', attempts: 0 },
        ),
      );
    await waiting();
    await waiting();
    const release = () =>
      database.transaction((transaction) => repository.releaseHeads(transaction));
    const isDue = async () => (await dueQueues()).filter((queue) => queue.key === key).length;
    await release();
    expect(await isDue()).toBe(0);
    await database.query('delete from parked_event where event_id = $1', [head]);
    expect(await isDue()).toBe(0);
    await release();
    expect(await isDue()).toBe(1);
    const released = (await parked.list({ key })).filter(({ nextTryAt }) => nextTryAt !== null);
    expect(released).toHaveLength(1);
  });

  it('looking for what is due reads an index, not everything that is parked', async () => {
    await database.query(
      `insert into parked_event (consumer, event_id, topic, bucket, key, type, body, state, reason,
         attempts, next_try_at)
       select 'entitlement', 'many ' || n, 'account.events', 1, 'many ' || n, 'account.counted', '{}',
         'parked', 'not now', 1, clock_timestamp() + interval '1 hour'
       from generate_series(1, 20000) n`,
    );
    await withClient(test.url(), async (client) =>
      client.query('analyze entitlement.parked_event'),
    );
    const scanned = await database.transaction(async (transaction) => {
      await repository.listDueQueues(transaction, 10);
      const [row] = await transaction.query<{ rows: string }>(
        `select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables
         where relname = 'parked_event'`,
      );
      return Number(row.rows);
    });
    expect(scanned).toBeLessThan(1_000);
    await database.query(`delete from parked_event where event_id like 'many %'`);
  });

  it('only what is parked or dead can be discarded, and once', async () => {
    const key = newId();
    const id = await park(key, 'account.counted', 'dead');
    expect(await parked.discard('gateway', id, 'not mine')).toBe(false);
    expect(await parked.discard('entitlement', id, 'a duplicate')).toBe(true);
    expect(await parked.discard('entitlement', id, 'again')).toBe(false);
    expect(await parked.list({ key })).toMatchObject([
      { state: 'discarded', reason: 'a duplicate', body: '{}' },
    ]);
  });
});
