import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '#libs/database';
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

  async function park(key: string, type: string, state: 'parked' | 'dead'): Promise<string> {
    const id = newId();
    const message = { id, topic: 'account.events', bucket: 1, key, body: '{}' };
    await database.transaction((transaction) =>
      repository.insert(transaction, message, {
        type,
        state,
        reason: 'not now',
        attempts: 3,
        delayMs: HOUR_MS,
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
