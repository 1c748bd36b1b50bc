import { describe, expect, it, jest } from '@jest/globals';
import { RollPartitionsJob, type Transaction, withClient } from '#libs/database';
import { DAY_MS, HOUR_MS, newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { ConsumerPaused } from '../inbox/failure.js';
import { type Counted } from '../transports/messaging-harness.contract.js';
import {
  ConsumerUnderTest,
  idOf,
  keysOfOneBucket,
  messageOf,
  sqlError,
} from './consumer-under-test.contract.js';

describe('event consumer, when an event fails', () => {
  const under = new ConsumerUnderTest();

  it.each([1, 2])(
    'if the database fails at attempt %i, the event stays with the transport, and no attempt is counted',
    async (at) => {
      const key = newId();
      under.handle = async () => {
        throw under.calls < at ? new Error('not yet') : sqlError('57P01');
      };
      const delivery = under.consumer.deliver([messageOf('account.events', key, 1)]);
      await expect(delivery).rejects.toThrow(ConsumerPaused);
      expect(under.calls).toBe(at);
      expect(await under.messaging.failedEvents.list({ key })).toEqual([]);
    },
  );

  it('an event that cannot even be stored as failed stays with the transport', async () => {
    const message = { ...messageOf('account.events', newId(), 1), body: '{"a":1,', bucket: 40_000 };
    await expect(under.consumer.deliver([message])).rejects.toThrow(ConsumerPaused);
  });

  it('a malformed message is dead-lettered, and the messages next to it are handled', async () => {
    under.handle = under.add;
    const key = newId();
    const broken = { ...messageOf('account.events', key, 2), body: '{"a":1,' };
    const batch = [
      messageOf('account.events', key, 1),
      broken,
      messageOf('account.events', key, 3),
    ];
    await under.consumer.deliver(batch);
    await under.consumer.deliver(batch);
    expect(await under.tallyOf(key)).toBe(2);
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([
      {
        eventId: broken.id,
        state: 'dead',
        attempts: 1,
        body: '{"a":1,',
        reason: expect.stringMatching(/JSON/),
      },
    ]);
    expect(under.lines).toContainEqual(expect.stringMatching(/"level":"error".* is dead/));
  });

  it('a failing event rolls back only its own writes', async () => {
    const key = newId();
    under.handle = async (event, transaction) => {
      await under.add(event, transaction);
      if ((event.data as Counted).n === 2) {
        await (transaction as Transaction).query('select 1 / 0');
      }
    };
    await under.consumer.deliver([1, 2, 3].map((n) => messageOf('account.events', key, n)));
    expect(await under.tallyOf(key)).toBe(2);
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([
      { state: 'dead', reason: expect.stringContaining('22012') },
    ]);
  });

  it('after a failure nothing more starts, and running events finish before the next attempt', async () => {
    const keys = keysOfOneBucket(20);
    let underWay = 0;
    const beside: number[] = [];
    const transactions: string[] = [];
    under.handle = async (event, transaction) => {
      beside.push(underWay++);
      try {
        if (event.key === keys[0]) throw sqlError('23514');
        // A caller that does not wait for running events would send the rollback before their next statements.
        await new Promise(setImmediate);
        const [{ id }] = await transaction!.query<{ id: string }>(
          'select pg_current_xact_id()::text as id',
        );
        transactions.push(id);
        await under.add(event, transaction);
      } finally {
        underWay--;
      }
    };
    await under.consumer.deliver(keys.map((key) => messageOf('account.events', key, 1)));
    const singly = keys.map(() => 0);
    const together = Array.from({ length: 15 }, (_, n) => n);
    expect(beside).toEqual([0, ...together, ...singly]);
    // The transactions of the failed batch, then the transactions of single attempts.
    expect(transactions).toHaveLength(15 + 19);
    expect(new Set(transactions.slice(0, 15)).size).toBe(1);
    expect(await under.tallyOf(keys[0])).toBeUndefined();
    for (const key of keys.slice(1)) expect(await under.tallyOf(key)).toBe(1);
  });

  it('a temporary failure is retried quickly, and the event is never stored as failed', async () => {
    const key = newId();
    const message = messageOf('account.events', key, 1);
    under.handle = async (event, transaction) => {
      // The first attempt is the whole batch.
      if (under.calls <= 3) throw new Error('not yet');
      await under.add(event, transaction);
    };
    await under.consumer.deliver([message]);
    expect(under.calls).toBe(4);
    expect(await under.tallyOf(key)).toBe(1);
    expect(under.outcomes()).toEqual({ applied: 1 });
  });

  it('after five quick attempts, an event is stored as failed with one attempt, and the transport may continue', async () => {
    const key = newId();
    const message = messageOf('account.events', key, 1);
    under.handle = async () => {
      throw new Error('never');
    };
    // The clock of the time budget stands still, because a machine may stall for longer than the budget.
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const startedAt = process.hrtime.bigint();
    await under.consumer.deliver([message]);
    clock.mockRestore();
    expect(under.calls).toBe(1 + 5);
    // The pauses between attempts, allowing for the rounding of timers.
    const tookMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
    expect(tookMs).toBeGreaterThan(50 + 150 + 400 + 900 - 10);
    expect(under.outcomes()).toEqual({ retrying: 1 });
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([
      { eventId: message.id, state: 'retrying', attempts: 1, reason: 'Error: never' },
    ]);
    expect(under.lines).toEqual([expect.stringMatching(/"level":"warn".* is retried/)]);
    const [{ pause }] = await under.messaging.consumer.query<{ pause: number }>(
      `select extract(epoch from next_try_at - failed_at)::float8 as pause from failed_event
       where event_id = $1`,
      [message.id],
    );
    expect(Math.round(pause)).toBe(10);
  });

  it('a failed event from an earlier month is handled when it is redriven, as long as the partition of that month is kept', async () => {
    const key = newId();
    const madeAt = new Date(Date.now() - 60 * DAY_MS);
    await under.maintenance.query('select roll_partitions($1)', [madeAt]);
    under.handle = async () => {
      throw sqlError('23514');
    };
    await under.consumer.deliver([messageOf('account.events', key, 1, { id: idOf(madeAt) })]);
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([{ state: 'dead' }]);
    under.handle = under.add;
    under.consumer.start();
    await under.messaging.failedEvents.redrive({ key });
    await waitFor('it to be settled', async () => {
      return (await under.messaging.failedEvents.list({ key })).length === 0;
    });
    expect(await under.tallyOf(key)).toBe(1);
  });

  it('events stay with the transport while the partition of their month is missing, and none is dead-lettered', async () => {
    under.handle = under.add;
    const key = newId();
    const madeAt = new Date();
    const month = madeAt.toISOString().slice(0, 7).replace('-', '');
    await withClient(under.messaging.test.url('entitlement_owner'), (client) =>
      client.query(`drop table inbox_${month}`),
    );
    const message = messageOf('account.events', key, 1, { id: idOf(madeAt) });
    await expect(under.consumer.deliver([message])).rejects.toThrow(ConsumerPaused);
    expect(await under.messaging.failedEvents.list({ key })).toEqual([]);
    await new RollPartitionsJob(under.maintenance).runOnce();
    await under.consumer.deliver([message]);
    expect(await under.tallyOf(key)).toBe(1);
  });

  it('only events of the last 30 days and the next 2 wait for a missing partition', async () => {
    under.handle = under.add;
    await withClient(under.messaging.test.url('entitlement_owner'), async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'inbox'::regclass`,
      );
      for (const { name } of rows) await client.query(`drop table ${name}`);
    });
    const key = newId();
    const aged = (ms: number) =>
      messageOf('account.events', key, 1, { id: idOf(new Date(Date.now() + ms)) });
    const edges = [-30, 2].flatMap((days) => [days * DAY_MS - HOUR_MS, days * DAY_MS + HOUR_MS]);
    const [old, past, coming, far] = edges.map(aged);
    for (const batch of [[past], [coming], [old, past], [far, coming]]) {
      await expect(under.consumer.deliver(batch)).rejects.toThrow(ConsumerPaused);
    }
    expect(await under.messaging.failedEvents.list({ key })).toMatchObject([
      { eventId: old.id, state: 'dead' },
      { eventId: far.id, state: 'dead' },
    ]);
    await new RollPartitionsJob(under.maintenance).runOnce();
  });

  it('discarded events are deleted after 30 days, and dead events are never deleted', async () => {
    under.handle = async () => {
      throw sqlError('23514');
    };
    const key = newId();
    const messages = [1, 2, 3].map((n) => messageOf('account.events', key, n));
    await under.consumer.deliver(messages);
    const [old, young, dead] = messages.map(({ id }) => id);
    for (const id of [old, young])
      await under.messaging.failedEvents.discard('entitlement', id, 'known');
    await under.messaging.consumer.query(
      `update failed_event set failed_at = now() - interval '1 year', settled_at = now() - case event_id
         when $1 then interval '30 days 1 minute' when $2 then interval '29 days' end
       where key = $3`,
      [old, young, key],
    );
    // With the old event, one more than a single statement deletes.
    await under.messaging.consumer.query(
      `insert into failed_event (consumer, event_id, topic, bucket, key, type, body, state, reason,
         attempts, settled_at)
       select 'entitlement', 'many ' || n, 'account.events', 1, 'many', 'account.counted', '{}',
         'discarded', 'known', 1, now() - interval '31 days' from generate_series(1, 10000) n`,
    );
    under.consumer.start();
    await waitFor('all of the others to go', async () => {
      return (await under.messaging.failedEvents.list({ key: 'many' })).length === 0;
    });
    const left = async () =>
      (await under.messaging.failedEvents.list({ key })).map(({ eventId }) => eventId);
    await waitFor('the old one to go', async () => (await left()).length === 2);
    expect(await left()).toEqual([young, dead]);
  });
});
