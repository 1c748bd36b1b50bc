import { describe, expect, it, jest } from '@jest/globals';
import { RollPartitionsJob } from '#libs/database';
import { DAY_MS, currentContext, newId } from '#libs/platform';
import { isBlockedBy, waitFor } from '#test/environment';
import { InboxRepository } from '../inbox/inbox.repository.js';
import type { Counted } from '../transports/messaging-harness.contract.js';
import {
  ConsumerUnderTest,
  idOf,
  keysOfOneBucket,
  messageOf,
} from './consumer-under-test.contract.js';

describe('event consumer', () => {
  const under = new ConsumerUnderTest();

  it('two topics that touch the same accounts in opposite order never deadlock', async () => {
    under.handle = under.add;
    const keys = keysOfOneBucket(6);
    const batches = Array.from({ length: 24 }, (_, index) => {
      const topic = index % 2 ? 'account.events' : 'billing.events';
      const ordered = index % 2 ? keys : keys.toReversed();
      return ordered.map((key) => messageOf(topic, key, index));
    });
    await Promise.all(batches.map((batch) => under.consumer.deliver(batch)));
    // A deadlock would have made handlers run again.
    expect(under.calls).toBe(24 * keys.length);
    for (const key of keys) expect(await under.tallyOf(key)).toBe(24);
  });

  it('a message that is delivered twice, within a batch or in two, counts once', async () => {
    under.handle = under.add;
    const key = newId();
    const message = messageOf('account.events', key, 1);
    await under.consumer.deliver([message, message]);
    await Promise.all([under.consumer.deliver([message]), under.consumer.deliver([message])]);
    expect(under.calls).toBe(1);
    expect(await under.tallyOf(key)).toBe(1);
    // A repetition is no failure: nobody is alarmed, and the other events of its batch are handled together.
    expect(under.outcomes()).toEqual({ applied: 1 });
  });

  it('two hundred events share a transaction, and the next events start another one', async () => {
    under.handle = under.add;
    const key = newId();
    const transactions = jest.spyOn(under.messaging.consumer, 'transaction');
    try {
      await under.consumer.deliver(
        Array.from({ length: 400 }, (_, n) => messageOf('account.events', key, n)),
      );
      expect(transactions).toHaveBeenCalledTimes(2);
    } finally {
      transactions.mockRestore();
    }
    expect(await under.tallyOf(key)).toBe(400);
  });

  it('an event is handled in the trace of its cause, and is timed', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const seen: unknown[] = [];
    under.handle = async () => seen.push(currentContext());
    const startedAt = performance.now();
    await under.consumer.deliver([
      messageOf('account.events', newId(), 1, { traceparent }),
      messageOf('account.events', newId(), 2),
    ]);
    expect(seen).toEqual([{ traceparent }, undefined]);
    const seconds = under.counts.durations.get('account.counted')!.sum;
    expect(seconds).toBeLessThanOrEqual((2 * (performance.now() - startedAt)) / 1_000);
  });

  it('the outcome of an event is stored only after the process that works on its bucket is done', async () => {
    under.handle = under.add;
    const key = newId();
    const good = messageOf('account.events', key, 1);
    const broken = { ...messageOf('account.events', key, 2), body: '{"a":1,' };
    for (const message of [good, broken]) {
      let delivery: Promise<void> | undefined;
      await under.messaging.consumer.transaction(async (transaction) => {
        await new InboxRepository('entitlement').lockBucket(transaction, message.bucket);
        delivery = under.consumer.deliver([message]);
        await waitFor('it to wait', () => isBlockedBy(transaction));
      });
      await delivery;
    }
    expect(await under.tallyOf(key)).toBe(1);
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
  });

  it('events of different keys are handled concurrently, and events of one key one after the other', async () => {
    const keys = keysOfOneBucket(4);
    const underWay = new Map<string, Promise<void>>();
    const together = Promise.withResolvers<void>();
    const order: string[] = [];
    under.handle = async (event, transaction) => {
      expect(underWay.has(event.key)).toBe(false);
      underWay.set(event.key, together.promise);
      if (underWay.size === keys.length) together.resolve();
      await together.promise;
      await under.add(event, transaction);
      order.push(`${event.key} ${(event.data as Counted).n}`);
      underWay.delete(event.key);
    };
    const numbers = [1, 2, 3];
    const batch = numbers.flatMap((n) => keys.map((key) => messageOf('account.events', key, n)));
    await under.consumer.deliver(batch);
    // If the handler had timed out while it waited for the others, a second attempt would have followed.
    expect(under.calls).toBe(batch.length);
    for (const key of keys) {
      const own = order.filter((line) => line.startsWith(key));
      expect(own).toEqual(numbers.map((n) => `${key} ${n}`));
    }
  });

  it('a stopping consumer accepts no more events but loses none', async () => {
    const key = newId();
    const [first, second] = [1, 2].map((n) => messageOf('account.events', key, n));
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    under.handle = async (event, transaction) => {
      begun.resolve();
      await mayEnd.promise;
      await under.add(event, transaction);
    };
    const underWay = under.consumer.deliver([first]);
    await begun.promise;
    let hasStopped = false;
    const waited = jest.spyOn(Promise, 'allSettled');
    const stopping = under.consumer.stop().then(() => (hasStopped = true));
    await expect(under.consumer.deliver([second])).rejects.toThrow('is stopping');
    await under.messaging.consumer.query('select');
    expect(hasStopped).toBe(false);
    mayEnd.resolve();
    await Promise.all([stopping, underWay]);
    expect(await under.tallyOf(key)).toBe(1);
    // Deliveries that have ended are forgotten.
    expect(waited).toHaveBeenLastCalledWith(new Set());
    waited.mockRestore();
  });

  it('an event is handled once while the partition of its month is kept, and dead-lettered if it arrives later', async () => {
    under.handle = under.add;
    const [key, neighbour] = [newId(), newId()];
    const madeAt = new Date(Date.now() - 150 * DAY_MS);
    await under.maintenance.query('select roll_partitions($1)', [madeAt]);
    const message = messageOf('account.events', key, 1, { id: idOf(madeAt) });
    await under.consumer.deliver([message]);
    await under.consumer.deliver([message]);
    expect(await under.tallyOf(key)).toBe(1);
    await new RollPartitionsJob(under.maintenance).runOnce();
    await under.consumer.deliver([message, messageOf('account.events', neighbour, 1)]);
    expect(await under.tallyOf(key)).toBe(1);
    expect(await under.tallyOf(neighbour)).toBe(1);
    const reason = expect.stringContaining('no partition of relation "inbox"');
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([
      { state: 'dead', reason },
    ]);
    // The operator sees that the event was not handled.
    under.consumer.start();
    await under.messaging.failedEvents.redrive({ key });
    await waitFor('the old event', async () => (await under.tallyOf(key)) === 2);
    await under.consumer.deliver([message]);
    expect(await under.tallyOf(key)).toBe(2);
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
  });
});
