import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { IsInt } from 'class-validator';
import { type EventClass, EventType } from '#libs/contracts';
import { type Database, RollPartitionsJob, type Transaction, withClient } from '#libs/database';
import { DAY_MS, Logger, currentContext, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { bucketOf } from '../envelope/bucket.js';
import type { EventMessage } from '../envelope/event-message.js';
import { ServiceEventCounts } from '../telemetry/event-counts.js';
import {
  Counted,
  MessagingHarness,
  isBlockedBy,
} from '../transports/messaging-harness.contract.js';
import { EventConsumer } from './event-consumer.js';
import { ConsumerPaused } from '../inbox/failure.js';
import type { EventHandler } from '../inbox/inbox.js';
import { InboxRepository } from '../inbox/inbox.repository.js';

@EventType({ type: 'billing.counted', version: 1, kind: 'delta' })
class CountedByBilling {
  @IsInt()
  n: number;
}

describe('event consumer', () => {
  let messaging: MessagingHarness;
  let maintenance: Database;
  let consumer: EventConsumer;
  let handle: EventHandler;
  let calls = 0;
  let counts: ServiceEventCounts;
  let lines: string[];

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
    maintenance = await messaging.test.maintenance('entitlement');
    await withClient(messaging.test.url('entitlement_owner'), (client) =>
      client.query('create table tally (key text primary key, n integer not null default 0)'),
    );
  });
  afterAll(() => messaging.close());
  beforeEach(() => {
    calls = 0;
    counts = new ServiceEventCounts();
    lines = [];
    const handler: EventHandler = (event, transaction) => {
      calls++;
      return handle(event, transaction);
    };
    consumer = new EventConsumer({
      consumer: 'entitlement',
      database: messaging.consumer,
      handlers: new Map<EventClass, EventHandler>([
        [Counted, handler],
        [CountedByBilling, handler],
      ]),
      logger: new Logger('test', { write: (line) => void lines.push(line) }),
      counts,
    });
  });
  afterEach(() => consumer.stop());

  function messageOf(
    topic: string,
    key: string,
    n: number,
    { id = newId(), traceparent }: { id?: string; traceparent?: string } = {},
  ): EventMessage {
    const producer = topic.slice(0, -'.events'.length);
    const body = JSON.stringify({
      id,
      type: `${producer}.counted`,
      version: 1,
      key,
      aggregate: `thing:${key}`,
      sequence: '1',
      occurredAt: '2026-03-02T09:00:00.000Z',
      producer,
      traceparent,
      data: { n },
    });
    return { id, topic, bucket: bucketOf(key), key, body };
  }
  const add: EventHandler = async (event, transaction) => {
    await (transaction as Transaction).query(
      `insert into tally as t (key, n) values ($1, 1) on conflict (key) do update set n = t.n + 1`,
      [event.key],
    );
  };
  const outcomes = () =>
    [...counts.handled.values()].map((ofType) => Object.fromEntries(ofType)).at(0) ?? {};
  const tallyOf = async (key: string) =>
    (await messaging.consumer.query<{ n: number }>('select n from tally where key = $1', [key]))[0]
      ?.n;

  it('two topics that touch the same accounts in opposite order never deadlock', async () => {
    handle = add;
    const keys = keysOfOneBucket(6);
    const batches = Array.from({ length: 24 }, (_, index) => {
      const topic = index % 2 ? 'account.events' : 'billing.events';
      const ordered = index % 2 ? keys : keys.toReversed();
      return ordered.map((key) => messageOf(topic, key, index));
    });
    await Promise.all(batches.map((batch) => consumer.deliver(batch)));
    // A deadlock would have made handlers run again.
    expect(calls).toBe(24 * keys.length);
    for (const key of keys) expect(await tallyOf(key)).toBe(24);
  });

  it('a message delivered twice, within a batch or outside it, counts once', async () => {
    handle = add;
    const key = newId();
    const message = messageOf('account.events', key, 1);
    await consumer.deliver([message, message]);
    await Promise.all([consumer.deliver([message]), consumer.deliver([message])]);
    expect(calls).toBe(1);
    expect(await tallyOf(key)).toBe(1);
  });

  it('two hundred events share a transaction, and further ones start the next', async () => {
    handle = add;
    const key = newId();
    const transactions = jest.spyOn(messaging.consumer, 'transaction');
    try {
      await consumer.deliver(
        Array.from({ length: 400 }, (_, n) => messageOf('account.events', key, n)),
      );
      expect(transactions).toHaveBeenCalledTimes(2);
    } finally {
      transactions.mockRestore();
    }
    expect(await tallyOf(key)).toBe(400);
  });

  it('an event is handled in the trace of its cause, and is timed', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const seen: unknown[] = [];
    handle = async () => seen.push(currentContext());
    const startedAt = performance.now();
    await consumer.deliver([
      messageOf('account.events', newId(), 1, { traceparent }),
      messageOf('account.events', newId(), 2),
    ]);
    expect(seen).toEqual([{ traceparent }, undefined]);
    const seconds = counts.durations.get('account.counted')!.sum;
    expect(seconds).toBeLessThanOrEqual((2 * (performance.now() - startedAt)) / 1_000);
  });

  it('the outcome of an event waits for the process that works on its bucket', async () => {
    handle = add;
    const key = newId();
    const good = messageOf('account.events', key, 1);
    const broken = { ...messageOf('account.events', key, 2), body: '{"a":1,' };
    for (const message of [good, broken]) {
      let delivery: Promise<void> | undefined;
      await messaging.consumer.transaction(async (transaction) => {
        await new InboxRepository('entitlement').lockBucket(transaction, message.bucket);
        delivery = consumer.deliver([message]);
        await waitFor('it to wait', () => isBlockedBy(transaction));
      });
      await delivery;
    }
    expect(await tallyOf(key)).toBe(1);
    expect(await messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
  });

  it.each([1, 2])(
    'if the database fails at attempt %i, the event stays with the transport untried',
    async (at) => {
      const key = newId();
      handle = async () => {
        throw calls < at ? new Error('not yet') : sqlError('57P01');
      };
      const delivery = consumer.deliver([messageOf('account.events', key, 1)]);
      await expect(delivery).rejects.toThrow(ConsumerPaused);
      expect(calls).toBe(at);
      expect(await messaging.failedEvents.list({ key })).toEqual([]);
    },
  );

  it('an event that cannot even be stored as failed stays with the transport', async () => {
    const message = { ...messageOf('account.events', newId(), 1), body: '{"a":1,', bucket: 40_000 };
    await expect(consumer.deliver([message])).rejects.toThrow(ConsumerPaused);
  });

  it('a malformed message is dead-lettered and its neighbours are handled', async () => {
    handle = add;
    const key = newId();
    const broken = { ...messageOf('account.events', key, 2), body: '{"a":1,' };
    const batch = [
      messageOf('account.events', key, 1),
      broken,
      messageOf('account.events', key, 3),
    ];
    await consumer.deliver(batch);
    await consumer.deliver(batch);
    expect(await tallyOf(key)).toBe(2);
    expect(await messaging.failedEvents.list({ key })).toMatchObject([
      {
        eventId: broken.id,
        state: 'dead',
        attempts: 1,
        body: '{"a":1,',
        reason: expect.stringMatching(/JSON/),
      },
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/"level":"error".* is dead/));
  });

  it('a failing event rolls back only its own writes', async () => {
    const key = newId();
    handle = async (event, transaction) => {
      await add(event, transaction);
      if ((event.data as Counted).n === 2) {
        await (transaction as Transaction).query('select 1 / 0');
      }
    };
    await consumer.deliver([1, 2, 3].map((n) => messageOf('account.events', key, n)));
    expect(await tallyOf(key)).toBe(2);
    expect(await messaging.failedEvents.list({ key })).toMatchObject([
      { state: 'dead', reason: expect.stringContaining('22012') },
    ]);
  });

  it('events of different keys are handled concurrently, events of one key one after the other', async () => {
    const keys = keysOfOneBucket(4);
    const underWay = new Map<string, Promise<void>>();
    const together = Promise.withResolvers<void>();
    const order: string[] = [];
    handle = async (event, transaction) => {
      expect(underWay.has(event.key)).toBe(false);
      underWay.set(event.key, together.promise);
      if (underWay.size === keys.length) together.resolve();
      await together.promise;
      await add(event, transaction);
      order.push(`${event.key} ${(event.data as Counted).n}`);
      underWay.delete(event.key);
    };
    const numbers = [1, 2, 3];
    const batch = numbers.flatMap((n) => keys.map((key) => messageOf('account.events', key, n)));
    await consumer.deliver(batch);
    // If it had waited for the others in vain, there would have been a second attempt.
    expect(calls).toBe(batch.length);
    for (const key of keys) {
      const own = order.filter((line) => line.startsWith(key));
      expect(own).toEqual(numbers.map((n) => `${key} ${n}`));
    }
  });

  it('after a failure nothing more starts, and running events finish before the next attempt', async () => {
    const keys = keysOfOneBucket(20);
    let underWay = 0;
    const beside: number[] = [];
    const transactions: string[] = [];
    handle = async (event, transaction) => {
      beside.push(underWay++);
      try {
        if (event.key === keys[0]) throw sqlError('23514');
        // By then a caller that does not wait has sent the roll-back, on the connection of the following statements.
        await new Promise(setImmediate);
        const [{ id }] = await transaction!.query<{ id: string }>(
          'select pg_current_xact_id()::text as id',
        );
        transactions.push(id);
        await add(event, transaction);
      } finally {
        underWay--;
      }
    };
    await consumer.deliver(keys.map((key) => messageOf('account.events', key, 1)));
    const singly = keys.map(() => 0);
    const together = Array.from({ length: 15 }, (_, n) => n);
    expect(beside).toEqual([0, ...together, ...singly]);
    // The transactions of the failed batch, then those of single attempts.
    expect(transactions).toHaveLength(15 + 19);
    expect(new Set(transactions.slice(0, 15)).size).toBe(1);
    expect(await tallyOf(keys[0])).toBeUndefined();
    for (const key of keys.slice(1)) expect(await tallyOf(key)).toBe(1);
  });

  it('a temporary failure is retried quickly, and the event is never stored as failed', async () => {
    const key = newId();
    const message = messageOf('account.events', key, 1);
    handle = async (event, transaction) => {
      // The first is that of the batch.
      if (calls <= 3) throw new Error('not yet');
      await add(event, transaction);
    };
    await consumer.deliver([message]);
    expect(calls).toBe(4);
    expect(await tallyOf(key)).toBe(1);
    expect(outcomes()).toEqual({ applied: 1 });
  });

  it('after five quick attempts it is stored with one attempt, and the transport may continue', async () => {
    const key = newId();
    const message = messageOf('account.events', key, 1);
    handle = async () => {
      throw new Error('never');
    };
    const startedAt = performance.now();
    await consumer.deliver([message]);
    expect(calls).toBe(1 + 5);
    // The pauses between attempts, allowing for the rounding of timers.
    expect(performance.now() - startedAt).toBeGreaterThan(50 + 150 + 400 + 900 - 10);
    expect(outcomes()).toEqual({ retrying: 1 });
    expect(await messaging.failedEvents.list({ key })).toMatchObject([
      { eventId: message.id, state: 'retrying', attempts: 1, reason: 'Error: never' },
    ]);
    expect(lines).toEqual([expect.stringMatching(/"level":"warn".* is retried/)]);
    const [{ pause }] = await messaging.consumer.query<{ pause: number }>(
      `select extract(epoch from next_try_at - failed_at)::float8 as pause from failed_event
       where event_id = $1`,
      [message.id],
    );
    expect(Math.round(pause)).toBe(10);
  });

  it('a failed event from an earlier month that is kept is handled when it is redriven', async () => {
    const key = newId();
    const madeAt = new Date(Date.now() - 60 * DAY_MS);
    await maintenance.query('select roll_partitions($1)', [madeAt]);
    handle = async () => {
      throw sqlError('23514');
    };
    await consumer.deliver([messageOf('account.events', key, 1, { id: idOf(madeAt) })]);
    expect(await messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
    handle = add;
    consumer.start();
    await messaging.failedEvents.redrive({ key });
    await waitFor('it to be settled', async () => {
      return (await messaging.failedEvents.list({ key })).length === 0;
    });
    expect(await tallyOf(key)).toBe(1);
  });

  it('a stopping consumer accepts no more events, and none is lost', async () => {
    const key = newId();
    const [first, second] = [1, 2].map((n) => messageOf('account.events', key, n));
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    handle = async (event, transaction) => {
      begun.resolve();
      await mayEnd.promise;
      await add(event, transaction);
    };
    const underWay = consumer.deliver([first]);
    await begun.promise;
    let hasStopped = false;
    const stopping = consumer.stop().then(() => (hasStopped = true));
    await expect(consumer.deliver([second])).rejects.toThrow('is stopping');
    await messaging.consumer.query('select');
    expect(hasStopped).toBe(false);
    mayEnd.resolve();
    await Promise.all([stopping, underWay]);
    expect(await tallyOf(key)).toBe(1);
  });

  it('an event is handled once while its month is kept, and dead-lettered if it arrives later', async () => {
    handle = add;
    const [key, neighbour] = [newId(), newId()];
    const madeAt = new Date(Date.now() - 150 * DAY_MS);
    await maintenance.query('select roll_partitions($1)', [madeAt]);
    const message = messageOf('account.events', key, 1, { id: idOf(madeAt) });
    await consumer.deliver([message]);
    await consumer.deliver([message]);
    expect(await tallyOf(key)).toBe(1);
    await new RollPartitionsJob(maintenance).runOnce();
    await consumer.deliver([message, messageOf('account.events', neighbour, 1)]);
    expect(await tallyOf(key)).toBe(1);
    expect(await tallyOf(neighbour)).toBe(1);
    const reason = expect.stringContaining('no partition of relation "inbox"');
    expect(await messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead', reason }]);
    // The operator knows that it was not handled.
    consumer.start();
    await messaging.failedEvents.redrive({ key });
    await waitFor('the old event', async () => (await tallyOf(key)) === 2);
    await consumer.deliver([message]);
    expect(await tallyOf(key)).toBe(2);
    expect(await messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
  });

  it('events stay with the transport while the table of their month is missing, and none is dead-lettered', async () => {
    handle = add;
    const key = newId();
    const madeAt = new Date();
    const month = madeAt.toISOString().slice(0, 7).replace('-', '');
    await withClient(messaging.test.url('entitlement_owner'), (client) =>
      client.query(`drop table inbox_${month}`),
    );
    const message = messageOf('account.events', key, 1, { id: idOf(madeAt) });
    await expect(consumer.deliver([message])).rejects.toThrow(ConsumerPaused);
    expect(await messaging.failedEvents.list({ key })).toEqual([]);
    await new RollPartitionsJob(maintenance).runOnce();
    await consumer.deliver([message]);
    expect(await tallyOf(key)).toBe(1);
  });

  it('discarded events are deleted after 30 days, dead ones never', async () => {
    handle = async () => {
      throw sqlError('23514');
    };
    const key = newId();
    const messages = [1, 2, 3].map((n) => messageOf('account.events', key, n));
    await consumer.deliver(messages);
    const [old, young, dead] = messages.map(({ id }) => id);
    for (const id of [old, young]) await messaging.failedEvents.discard('entitlement', id, 'known');
    await messaging.consumer.query(
      `update failed_event set failed_at = now() - interval '1 year', settled_at = now() - case event_id
         when $1 then interval '30 days 1 minute' when $2 then interval '29 days' end
       where key = $3`,
      [old, young, key],
    );
    // Beside them, one more than go in one statement.
    await messaging.consumer.query(
      `insert into failed_event (consumer, event_id, topic, bucket, key, type, body, state, reason,
         attempts, settled_at)
       select 'entitlement', 'many ' || n, 'account.events', 1, 'many', 'account.counted', '{}',
         'discarded', 'known', 1, now() - interval '31 days' from generate_series(1, 10000) n`,
    );
    consumer.start();
    await waitFor('all of the others to go', async () => {
      return (await messaging.failedEvents.list({ key: 'many' })).length === 0;
    });
    const left = async () =>
      (await messaging.failedEvents.list({ key })).map(({ eventId }) => eventId);
    await waitFor('the old one to go', async () => (await left()).length === 2);
    expect(await left()).toEqual([young, dead]);
  });
});

const sqlError = (code: string) =>
  Object.assign(new Error(`refused with ${code}`), { code, severity: 'ERROR' });

/** A UUIDv7 of a moment. */
function idOf(moment: Date): string {
  const hex = moment.getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

function keysOfOneBucket(count: number): string[] {
  const keys: string[] = [];
  while (keys.length < count) {
    const key = newId();
    if (bucketOf(key) === 7) keys.push(key);
  }
  return keys;
}
