import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { EventClass } from '#libs/contracts';
import type { Database, Transaction } from '#libs/database';
import { newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { bucketOf } from '../envelope/bucket.js';
import { UnacceptableEvent } from '../inbox/failure.js';
import { InboxRepository } from '../inbox/inbox.repository.js';
import { type EventHandler, Inbox } from '../inbox/inbox.js';
import { ServiceEventCounts } from '../telemetry/event-counts.js';
import {
  Counted,
  MessagingHarness,
  quietLogger,
} from '../transports/messaging-harness.contract.js';
import { FailedEventRepository } from '../failed-events/failed-event.repository.js';
import { FailedEventRetries } from './failed-event-retries.js';

describe('failed events', () => {
  let messaging: MessagingHarness;
  let retries: FailedEventRetries;
  let counts: ServiceEventCounts;
  const repository = new FailedEventRepository('entitlement');

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
  });
  afterEach(() => retries.stop());
  afterAll(() => messaging.close());

  async function storeFailed(key: string, n: number, attempts: number): Promise<string> {
    const id = newId();
    const body = JSON.stringify({
      id,
      type: 'account.counted',
      version: 1,
      key,
      aggregate: `thing:${key}`,
      sequence: '1',
      occurredAt: '2026-03-02T09:00:00.000Z',
      producer: 'account',
      data: { n },
    });
    const message = { id, topic: 'account.events', bucket: bucketOf(key), key, body };
    await messaging.consumer.transaction((transaction) =>
      repository.insert(transaction, message, {
        type: 'account.counted',
        state: 'retrying',
        reason: 'the first time',
        attempts,
        delayMs: 0,
      }),
    );
    return id;
  }

  function retryWith(handler?: EventHandler, database = messaging.consumer): void {
    counts = new ServiceEventCounts();
    const handlers = new Map<EventClass, EventHandler>(handler && [[Counted, handler]]);
    retries = new FailedEventRetries({
      consumer: 'entitlement',
      database,
      handlers,
      inbox: new Inbox('entitlement', handlers),
      logger: quietLogger,
      counts,
    });
    retries.start();
  }

  const secondsLeft = async (eventId: string) => {
    const [{ seconds }] = await messaging.consumer.query<{ seconds: number }>(
      `select extract(epoch from next_try_at - clock_timestamp())::float8 as seconds
       from failed_event where event_id = $1`,
      [eventId],
    );
    return seconds;
  };

  it.each([
    [0, 0, 10],
    [1, 10, 60],
    [2, 60, 600],
    [3, 600, 3_600],
    [4, 3_600, 21_600],
    [9, 3_600, 21_600],
  ])(
    'after %i failed attempts, the event and the next event of its key wait longer',
    async (attempts, more, most) => {
      const key = newId();
      const first = await storeFailed(key, 1, attempts);
      const second = await storeFailed(key, 2, 0);
      const tried: number[] = [];
      retryWith(async (event) => {
        tried.push((event.data as Counted).n);
        throw new Error('not yet');
      });
      const rows = () => messaging.failedEvents.list({ key });
      await waitFor('the retry', async () => (await rows())[0].attempts === attempts + 1);
      const left = await secondsLeft(first);
      expect([left > more, left <= most]).toEqual([true, true]);
      expect(await rows()).toMatchObject([
        { eventId: first, state: 'retrying', reason: 'Error: not yet' },
        { eventId: second, state: 'retrying', attempts: 0, reason: 'the first time' },
      ]);
      expect(tried).toEqual([1]);
    },
  );

  it('an event without a handler is dead-lettered, and the log says so', async () => {
    const key = newId();
    const eventId = await storeFailed(key, 1, 0);
    retryWith();
    const stored = () => messaging.failedEvents.list({ key });
    await waitFor('it to be dead', async () => (await stored())[0].state === 'dead');
    const reason = 'no handler for account.counted any longer';
    expect(await stored()).toMatchObject([{ eventId, state: 'dead', reason }]);
  });

  it('an event that an earlier release stored because it did not know the type is ignored if this one has no handler for it', async () => {
    const key = newId();
    const eventId = await storeFailed(key, 1, 1);
    await messaging.consumer.query('update failed_event set reason = $2 where event_id = $1', [
      eventId,
      'unknown event account.counted version 1',
    ]);
    retryWith();
    const stored = () => messaging.failedEvents.list({ key });
    await waitFor('it to be tried', async () => (await stored()).every((one) => one.attempts > 1));
    expect(await stored()).toEqual([]);
  });

  it('an event that can never succeed is dead-lettered, with the reason and an alarm, and the next event follows at once', async () => {
    const key = newId();
    const first = await storeFailed(key, 1, 2);
    await storeFailed(key, 2, 0);
    const tried: number[] = [];
    retryWith(async (event) => {
      const { n } = event.data as Counted;
      tried.push(n);
      if (n === 1) throw new UnacceptableEvent('it contradicts another');
    });
    await waitFor(
      'the next',
      async () => (await messaging.failedEvents.list({ key })).length === 1,
    );
    expect(await messaging.failedEvents.list({ key })).toMatchObject([
      {
        eventId: first,
        state: 'dead',
        attempts: 3,
        reason: expect.stringContaining('it contradicts another'),
      },
    ]);
    expect(tried).toEqual([1, 2]);
    await waitFor('the counts', () => counts.handled.get('account.counted')?.get('applied') === 1);
    expect(counts.handled.get('account.counted')?.get('dead')).toBe(1);
  });

  it('a retry during a database failure does not count as an attempt', async () => {
    const key = newId();
    await storeFailed(key, 1, 2);
    let tries = 0;
    retryWith(async () => {
      tries++;
      if (tries < 3) throw Object.assign(new Error('shut down'), SHUT_DOWN);
      throw new Error('not yet');
    });
    const rows = () => messaging.failedEvents.list({ key });
    await waitFor('a try that counts', async () => (await rows())[0].attempts !== 2);
    expect([tries, (await rows())[0].attempts]).toEqual([3, 3]);
  });

  it('an event of an unknown class waits an hour for the next release, and is then dead-lettered', async () => {
    const key = newId();
    const id = await storeFailed(key, 1, 1);
    await messaging.consumer.query(
      `update failed_event set body = replace(body, 'account.counted', 'account.unheard-of')
       where event_id = $1`,
      [id],
    );
    retryWith(async () => {});
    const rows = () => messaging.failedEvents.list({ key });
    await waitFor('the first try', async () => (await rows())[0].attempts === 2);
    expect(await rows()).toMatchObject([{ state: 'retrying' }]);
    expect(await secondsLeft(id)).toBeGreaterThan(30);
    await messaging.consumer.query(
      `update failed_event set failed_at = failed_at - interval '1 hour',
         next_try_at = clock_timestamp() where event_id = $1`,
      [id],
    );
    await waitFor('the last try', async () => (await rows())[0].state === 'dead');
  });

  it('a retry does nothing if the event was handled in the meantime', async () => {
    const key = newId();
    const id = await storeFailed(key, 1, 1);
    await messaging.consumer.query(
      `insert into inbox (consumer, event_id, outcome) values ('entitlement', $1, 'applied')`,
      [id],
    );
    let tries = 0;
    retryWith(async () => tries++);
    await waitFor(
      'it to go',
      async () => (await messaging.failedEvents.list({ key })).length === 0,
    );
    expect(tries).toBe(0);
  });

  it('all failed events are read less often than the due ones', async () => {
    const looks = jest.spyOn(FailedEventRepository.prototype, 'listDueQueues');
    const releases = jest.spyOn(FailedEventRepository.prototype, 'releaseHeads');
    try {
      retryWith();
      await waitFor('three looks', () => looks.mock.calls.length >= 3);
      expect(releases.mock.calls.length).toBeLessThan(looks.mock.calls.length);
    } finally {
      looks.mockRestore();
      releases.mockRestore();
    }
  });

  it('if more queues are due than one look returns, the next look follows at once', async () => {
    let [looks, transactions] = [0, 0];
    const queues = Array.from({ length: 100 }, () => ({ topic: '', bucket: 1, key: '' }));
    const database = {
      query: async () => (++looks <= 60 ? queues : []),
      transaction: async () => void transactions++,
    };
    retryWith(undefined, database as Partial<Database> as Database);
    await waitFor('the last look', () => looks > 60);
    // Without work, there is one look every 500 ms, and one release every 10 s.
    expect(transactions).toBeLessThan(60 * queues.length + 3);
  });

  it('retries end when their consumer has stopped', async () => {
    const key = newId();
    await storeFailed(key, 1, 1);
    const next = await storeFailed(key, 2, 1);
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    retryWith(async () => {
      begun.resolve();
      await mayEnd.promise;
    });
    await begun.promise;
    let hasStopped = false;
    const stopping = retries.stop().then(() => (hasStopped = true));
    await messaging.consumer.query('select');
    expect(hasStopped).toBe(false);
    mayEnd.resolve();
    await stopping;
    const left = await messaging.failedEvents.list({ key });
    expect(left.map(({ eventId }) => eventId)).toEqual([next]);
    await messaging.consumer.query('delete from failed_event where key = $1', [key]);
  });

  it('the result of a retry is stored only after the process that works on its bucket is done', async () => {
    const key = newId();
    await storeFailed(key, 1, 1);
    const locks = new InboxRepository('entitlement');
    const lockedUntil = (work: (transaction: Transaction) => Promise<unknown>) =>
      messaging.consumer.transaction(async (transaction) => {
        await locks.lockBucket(transaction, bucketOf(key));
        await work(transaction);
      });
    let tries = 0;
    let ofVerdict: Promise<void> | undefined;
    await lockedUntil(async (transaction) => {
      retryWith(async (_event, trying) => {
        tries++;
        ofVerdict = lockedUntil(async (verdict) => {
          await waitFor('the verdict to wait', () => isBlockedBy(verdict));
          expect(await messaging.failedEvents.list({ key })).toMatchObject([{ attempts: 1 }]);
        });
        await waitFor('that to be next', () => isBlockedBy(trying!));
        throw new Error('not yet');
      });
      await waitFor('the try to wait', () => isBlockedBy(transaction));
      expect(tries).toBe(0);
    });
    await waitFor('the verdict', async () => {
      return (await messaging.failedEvents.list({ key }))[0].attempts === 2;
    });
    await ofVerdict;
    expect(tries).toBe(1);
  });

  it('a retry does not restore an event that the operator discarded in the meantime', async () => {
    const key = newId();
    const id = await storeFailed(key, 1, 1);
    let discarding: Promise<boolean> | undefined;
    const failed = Promise.withResolvers<void>();
    retryWith(async (_event, transaction) => {
      discarding = messaging.failedEvents.discard('entitlement', id, 'known');
      await waitFor('the operator to wait', () => isBlockedBy(transaction!));
      failed.resolve();
      throw new Error('not yet');
    });
    await failed.promise;
    expect(await discarding).toBe(true);
    await retries.stop();
    expect(await messaging.failedEvents.list({ key })).toMatchObject([
      { state: 'discarded', reason: 'known' },
    ]);
  });
});

const SHUT_DOWN = { code: '57P01', severity: 'FATAL' };
