import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, withClient } from '#libs/database';
import { HOUR_MS, newId } from '#libs/platform';
import { TestDatabase, isBlockedBy, rowsRead, waitFor } from '#test/environment';
import { FailedEvent } from './failed-event.entity.js';
import { FailedEvents } from './failed-events.js';
import { FailedEventRepository } from './failed-event.repository.js';

describe('failed events', () => {
  let test: TestDatabase;
  let database: Database;
  let failed: FailedEvents;
  const repository = new FailedEventRepository('entitlement');

  beforeAll(async () => {
    test = await TestDatabase.create();
    database = await test.service('entitlement', [FailedEvent]);
    failed = new FailedEvents(database);
  });
  afterAll(() => test.drop());

  async function storeFailed(
    key: string,
    type: string,
    state: 'retrying' | 'dead',
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

  it('failed events are listed page by page in order of arrival', async () => {
    const key = newId();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await storeFailed(key, 'account.counted', 'retrying'));
    const first = await failed.list({ key, limit: 3 });
    const second = await failed.list({ key, limit: 3, after: first[2].arrival });
    expect(idsOf([...first, ...second])).toEqual(ids);
  });

  it('a filter selects the events to redrive, including dead ones, which are then due at once', async () => {
    const [one, two] = [newId(), newId()];
    await storeFailed(one, 'account.invoice-lost', 'dead');
    await storeFailed(two, 'account.invoice-lost', 'retrying');
    const other = await storeFailed(one, 'account.counted', 'dead');
    expect(await dueQueues()).toEqual([]);
    expect(await failed.redrive({ type: 'account.invoice-lost' })).toBe(2);
    expect((await dueQueues()).map(({ key }) => key).toSorted()).toEqual([one, two].toSorted());
    expect(idsOf(await failed.list({ key: one, state: 'dead' }))).toEqual([other]);
  });

  it('a queue whose first event is not due must wait, even if a later event is due', async () => {
    const key = newId();
    await storeFailed(key, 'account.counted', 'retrying');
    const later = await storeFailed(key, 'account.counted', 'retrying');
    await failed.redrive({ eventId: later });
    expect((await dueQueues()).filter((queue) => queue.key === key)).toEqual([]);
  });

  it('the queue that has been due longest is first', async () => {
    const [later, sooner] = [newId(), newId()];
    await storeFailed(later, 'account.counted', 'retrying', -HOUR_MS);
    await storeFailed(sooner, 'account.counted', 'retrying', -2 * HOUR_MS);
    const due = await database.transaction((transaction) =>
      repository.listDueQueues(transaction, 1),
    );
    expect(due.map(({ key }) => key)).toEqual([sooner]);
    await database.query('delete from failed_event where key in ($1, $2)', [later, sooner]);
  });

  it('a queue waits only for earlier failed events of its own', async () => {
    const key = newId();
    await storeFailed(key, 'account.counted', 'dead', -HOUR_MS);
    await storeFailed(newId(), 'account.counted', 'retrying');
    const failure = { type: 'counted', reason: 'not now', state: 'retrying', attempts: 1 } as const;
    const others = [
      { consumer: 'entitlement', topic: 'billing.events', key },
      { consumer: 'gateway', topic: 'account.events', key },
    ];
    for (const { consumer, ...queue } of others) {
      const message = { id: newId(), ...queue, bucket: 1, body: '{}' };
      await database.transaction((transaction) =>
        new FailedEventRepository(consumer).insert(transaction, message, {
          ...failure,
          delayMs: HOUR_MS,
        }),
      );
    }
    await storeFailed(key, 'account.counted', 'retrying', 0);
    const own = (await dueQueues()).filter((queue) => queue.key === key);
    expect(own).toEqual([{ topic: 'account.events', bucket: 1, key }]);
    await database.query('delete from failed_event where key = $1', [key]);
  });

  /** Adds an event that waits behind an earlier event of its key. @returns its id. */
  async function follow(key: string, topic = 'account.events'): Promise<string> {
    const id = newId();
    await database.transaction((transaction) =>
      repository.insert(
        transaction,
        { id, topic, bucket: 1, key, body: '{}' },
        { type: 'account.counted', state: 'retrying', reason: 'waits', attempts: 0 },
      ),
    );
    return id;
  }

  it('discarding an event releases at once the events that waited behind it, and no others', async () => {
    const [key, other] = [newId(), newId()];
    const head = await storeFailed(key, 'account.counted', 'retrying');
    await storeFailed(other, 'account.counted', 'retrying');
    const own = await follow(key);
    const strangers = [await follow(key, 'billing.events'), await follow(other)];
    const redriven = await storeFailed(key, 'account.counted', 'retrying');
    const known = await follow(key);
    for (const id of [known, head]) {
      expect(await failed.discard('entitlement', id, 'a duplicate')).toBe(true);
    }
    const nextTryOf = async (eventId: string) => (await failed.list({ eventId }))[0].nextTryAt;
    expect((await nextTryOf(own))!.getTime()).toBeLessThan(Date.now() + HOUR_MS / 2);
    expect((await nextTryOf(redriven))!.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2);
    for (const other of [...strangers, known]) expect(await nextTryOf(other)).toBeNull();
    await database.query('delete from failed_event where key in ($1, $2)', [key, other]);
  });

  it('events behind a dead event are released, one per key', async () => {
    const key = newId();
    const head = await storeFailed(key, 'account.counted', 'retrying');
    await follow(key);
    await follow(key);
    const release = () =>
      database.transaction((transaction) => repository.releaseHeads(transaction));
    const isDue = async () => (await dueQueues()).filter((queue) => queue.key === key).length;
    await release();
    expect(await isDue()).toBe(0);
    await database.query(`update failed_event set state = 'dead' where event_id = $1`, [head]);
    expect(await isDue()).toBe(0);
    await release();
    expect(await isDue()).toBe(1);
    const waiting = await failed.list({ key, state: 'retrying' });
    const released = waiting.filter(({ nextTryAt }) => nextTryAt !== null);
    expect(released).toHaveLength(1);
  });

  it('the first event of a queue is the event that arrived first, wherever it is stored', async () => {
    const [tried, waiting] = [newId(), newId()];
    const heads = [
      await storeFailed(tried, 'account.counted', 'retrying', 0),
      await follow(waiting),
    ];
    await storeFailed(tried, 'account.counted', 'retrying', 0);
    await follow(waiting);
    // These events are now stored behind the others.
    await database.query('update failed_event set reason = reason where event_id = any ($1)', [
      heads,
    ]);
    await database.transaction(async (transaction) => {
      for (const scan of ['indexscan', 'bitmapscan'])
        await transaction.query(`set local enable_${scan} = off`);
      const queue = { topic: 'account.events', bucket: 1, key: tried };
      expect((await repository.lockHead(transaction, queue))?.event_id).toBe(heads[0]);
      await repository.releaseHeads(transaction);
    });
    const [first, second] = await failed.list({ key: waiting });
    expect([first.eventId, first.nextTryAt, second.nextTryAt]).toEqual([
      heads[1],
      expect.any(Date),
      null,
    ]);
    await database.query('delete from failed_event where key in ($1, $2)', [tried, waiting]);
  });

  it('an operator’s command waits for an event that is being retried, but not for others of its key', async () => {
    const key = newId();
    const [head, next] = [
      await storeFailed(key, 'account.counted', 'retrying', 0),
      await storeFailed(key, 'account.counted', 'retrying', 0),
    ];
    let discarding: Promise<boolean> | undefined;
    await database.transaction(async (transaction) => {
      const queue = { topic: 'account.events', bucket: 1, key };
      expect((await repository.lockHead(transaction, queue))?.event_id).toBe(head);
      expect(await failed.discard('entitlement', next, 'known')).toBe(true);
      discarding = failed.discard('entitlement', head, 'known');
      await waitFor('the operator to wait', async () => isBlockedBy(transaction));
      await repository.delete(transaction, head);
    });
    expect(await discarding).toBe(false);
  });

  it('an event that was handled, or is already stored, is not stored as failed', async () => {
    const [handled, unreadable] = [newId(), 'no id'];
    await database.query(
      `insert into inbox (consumer, event_id, outcome) values ('entitlement', $1, 'applied')`,
      [handled],
    );
    const key = newId();
    for (const id of [handled, unreadable, unreadable]) {
      const message = { id, topic: 'account.events', bucket: 1, key, body: '{}' };
      await database.transaction((transaction) =>
        repository.insert(transaction, message, {
          type: 'account.counted',
          state: 'dead',
          reason: 'not now',
          attempts: 1,
        }),
      );
    }
    expect(idsOf(await failed.list({ key }))).toEqual([unreadable]);
  });

  it('finding due events reads an index, not every failed event', async () => {
    await database.query(
      `insert into failed_event (consumer, event_id, topic, bucket, key, type, body, state, reason,
         attempts, next_try_at)
       select 'entitlement', 'many ' || n, 'account.events', 1, 'many ' || n, 'account.counted', '{}',
         'retrying', 'not now', 1, clock_timestamp() + interval '1 hour'
       from generate_series(1, 20000) n`,
    );
    await withClient(test.url(), async (client) =>
      client.query('analyze entitlement.failed_event'),
    );
    const read = await database.transaction((transaction) =>
      rowsRead(transaction, ['entitlement.failed_event'], () =>
        repository.listDueQueues(transaction, 10),
      ),
    );
    expect(read).toBeLessThan(1_000);
    await database.query(`delete from failed_event where event_id like 'many %'`);
  });

  it('a dead event can be discarded once, and only for its own consumer', async () => {
    const key = newId();
    const id = await storeFailed(key, 'account.counted', 'dead');
    expect(await failed.discard('gateway', id, 'not mine')).toBe(false);
    expect(await failed.discard('entitlement', id, 'a duplicate')).toBe(true);
    expect(await failed.discard('entitlement', id, 'again')).toBe(false);
    expect(await failed.redrive({ key })).toBe(0);
    expect(await failed.list({ key })).toMatchObject([
      { state: 'discarded', reason: 'a duplicate', body: '{}' },
    ]);
  });
});
