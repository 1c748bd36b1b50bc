import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withClient } from '#libs/database';
import { HOUR_MS, Logger, newId, runInContext } from '#libs/platform';
import { waitFor } from '#test/environment';
import { bucketOf } from '../envelope/bucket.js';
import type { EventMessage } from '../envelope/event-message.js';
import { ServiceEventCounts } from '../telemetry/event-counts.js';
import {
  Counted,
  MessagingHarness,
  quietLogger,
} from '../transports/messaging-harness.contract.js';
import { BucketLeases } from './bucket-leases.js';
import { OutboxRepository } from './outbox.repository.js';
import { Relay, pauseAfter } from './relay.js';

describe('relay', () => {
  let messaging: MessagingHarness;
  const relays: Relay[] = [];
  const counts = new ServiceEventCounts();

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
  });
  afterAll(() => messaging.close());
  afterEach(async () => {
    await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  });

  function startRelay(
    publish: (messages: EventMessage[]) => Promise<void>,
    { logger = quietLogger, unaskedEveryMs }: { logger?: Logger; unaskedEveryMs?: number } = {},
  ): Relay {
    const database = messaging.maintenance;
    const relay = new Relay({
      producer: 'account',
      database,
      logger,
      counts,
      publish,
      unaskedEveryMs,
    });
    relays.push(relay);
    relay.start();
    return relay;
  }
  const allSent = () => waitFor('all sent', async () => (await messaging.unsent()) === 0);
  const numberOf = ({ body }: EventMessage) => (JSON.parse(body) as { data: Counted }).data.n;

  it("four relays deliver every event in its key's order, however often the owner changes", async () => {
    const keys = Array.from({ length: 6 }, newId);
    const numbers = Array.from({ length: 25 }, (_, n) => n);
    const published = new Map<string, number[]>(keys.map((key) => [key, []]));
    const publish = async (messages: EventMessage[]) => {
      for (const message of messages) published.get(message.key)?.push(numberOf(message));
    };
    const four = Array.from({ length: 4 }, () => startRelay(publish));
    const writing = Promise.all(
      keys.map(async (key) => {
        for (const n of numbers) await messaging.say(Counted, key, { n });
      }),
    );
    for (const [index, relay] of four.slice(0, 3).entries()) {
      await waitFor('some handed on', () => published.get(keys[0])?.includes(index * 5));
      await relay.stop();
      // The other relays search for free buckets every 2 s; this one does so at once.
      startRelay(publish);
    }
    await writing;
    await allSent();
    // If an owner's lease expires while it sends, the next owner sends the events again, so only the first delivery of
    // each counts.
    for (const key of keys) expect([...new Set(published.get(key))]).toEqual(numbers);
  });

  it('events are read in the order they were written, and only delivered events are marked', async () => {
    const key = newId();
    for (const n of [1, 2, 3]) await messaging.say(Counted, key, { n });
    // This event is now stored behind the others.
    await messaging.maintenance.query(
      `update outbox set version = version where key = $1 and (data->>'n')::int = 1`,
      [key],
    );
    const owner = newId();
    const leases = new BucketLeases(messaging.maintenance, owner);
    const outbox = new OutboxRepository(messaging.maintenance, owner);
    await leases.renew();
    await messaging.maintenance.query(
      `update outbox_bucket set lease_until = clock_timestamp() + interval '1 hour'`,
    );
    const rows = await outbox.listUnsent(leases.owned(), 2);
    expect(rows.map(({ data }) => JSON.parse(data) as unknown)).toEqual([{ n: 1 }, { n: 2 }]);
    const bucket = leases.owned().find((owned) => owned.bucket === bucketOf(key))!;
    expect(await outbox.markSent(bucket, [rows[0].id])).toBe(true);
    expect(await messaging.unsent()).toBe(2);
    await leases.release();
    await messaging.maintenance.query('delete from outbox where key = $1', [key]);
  });

  it('a stopping relay finishes its deliveries, and leaves its buckets to other relays', async () => {
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const relay = startRelay(async () => {
      begun.resolve();
      await mayEnd.promise;
    });
    await messaging.say(Counted, newId(), { n: 1 });
    await begun.promise;
    let hasStopped = false;
    const stopping = relay.stop().then(() => (hasStopped = true));
    await messaging.producer.query('select');
    expect(hasStopped).toBe(false);
    mayEnd.resolve();
    await stopping;
    expect(counts.ownedBuckets).toBe(0);
    expect(await messaging.unsent()).toBe(0);
    const successor = new BucketLeases(messaging.maintenance, newId());
    await successor.renew();
    expect(successor.owned()).toHaveLength(16);
    await successor.release();
  });

  it('if the first event of a bucket cannot be delivered, only that bucket pauses, keeps its order, and is logged once until it continues', async () => {
    const stuck = newId();
    const free = keyInOtherBucket(stuck);
    let isRepaired = false;
    const failures: number[] = [];
    const published: number[] = [];
    const lines: string[] = [];
    const logger = new Logger('account', { write: (line) => void lines.push(line) });
    startRelay(
      async (messages) => {
        if (messages[0].bucket === bucketOf(stuck) && !isRepaired) {
          failures.push(performance.now());
          throw new Error('no broker');
        }
        published.push(...messages.map(numberOf));
      },
      { logger },
    );
    for (const n of [101, 102]) await messaging.say(Counted, stuck, { n });
    for (const n of [201, 202]) await messaging.say(Counted, free, { n });
    await waitFor('the free bucket', () => published.includes(202));
    expect(published).not.toContain(101);
    await waitFor('further tries', () => failures.length > 3);
    const pauses = failures.slice(1, 4).map((at, n) => at - failures[n]);
    // The comparison allows for the rounding of clocks.
    expect(pauses.map((ms, n) => ms > 100 * 2 ** n - 5)).toEqual([true, true, true]);
    isRepaired = true;
    await waitFor('the stuck bucket', () => published.includes(102));
    expect(published.filter((n) => n > 100 && n < 200)).toEqual([101, 102]);
    const logged = () => lines.filter((line) => line.includes('is stuck')).length;
    expect(logged()).toBe(1);
    await allSent();
    isRepaired = false;
    await messaging.say(Counted, stuck, { n: 103 });
    await waitFor('the next failure', () => logged() === 2);
    isRepaired = true;
    await allSent();
  });

  it('the pauses of a stopped bucket double up to a second', () => {
    const pauses: number[] = [];
    for (let n = 0; n < 6; n++) pauses.push(pauseAfter(pauses.at(-1)));
    expect(pauses).toEqual([100, 200, 400, 800, 1_000, 1_000]);
  });

  it('a delivered event is counted, and names the trace that led to it', async () => {
    const key = newId();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const before = counts.sent.get('account.counted') ?? 0;
    const published: EventMessage[] = [];
    startRelay(async (messages) => void published.push(...messages));
    await runInContext({ traceparent }, () => messaging.say(Counted, key, { n: 1 }));
    await messaging.say(Counted, key, { n: 2 });
    await allSent();
    const envelopes = published.map(({ body }) => JSON.parse(body) as { traceparent?: string });
    expect(envelopes.map((envelope) => envelope.traceparent)).toEqual([traceparent, undefined]);
    await waitFor('the counts', () => counts.sent.get('account.counted') === before + 2);
  });

  it('a bucket taken by another relay is dropped at once, and the events are not counted', async () => {
    const key = newId();
    const other = bucketOf(key) === 0 ? 1 : 0;
    const before = counts.sent.get('account.counted');
    const stolen = Promise.withResolvers<void>();
    startRelay(async () => {
      await messaging.maintenance.query(
        `update outbox_bucket set owner = 'another', epoch = epoch + 1,
           lease_until = clock_timestamp() + interval '1 hour' where bucket = $1`,
        [bucketOf(key)],
      );
      await stolen.promise;
    });
    await waitFor('all buckets', () => counts.ownedBuckets === 16);
    await withClient(messaging.test.url(), async (client) => {
      // The renewal, which would also notice the loss, waits for this.
      await client.query('begin');
      await client.query('select from account.outbox_bucket where bucket = $1 for update', [other]);
      await messaging.say(Counted, key, { n: 1 });
      stolen.resolve();
      await waitFor('it to be forgotten', () => counts.ownedBuckets === 15);
      await client.query('rollback');
    });
    expect(counts.sent.get('account.counted')).toBe(before);
    await messaging.expireLeases();
    await messaging.maintenance.query('delete from outbox where key = $1', [key]);
  });

  it('a relay that is always woken for events also reads buckets that it takes over or that failed, but no others', async () => {
    const key = newId();
    const before = counts.sent.get('account.counted') ?? 0;
    await messaging.expireLeases();
    const leaseOf = (until: string) =>
      messaging.maintenance.query(
        'update outbox_bucket set lease_until = $1::timestamptz where bucket = $2',
        [until, bucketOf(key)],
      );
    await leaseOf('infinity');
    let tries = 0;
    const publish = async () => {
      if (++tries === 1) throw new Error('no broker');
    };
    const reads = jest.spyOn(OutboxRepository.prototype, 'listUnsent');
    const { renew } = BucketLeases.prototype;
    const renewals = jest.spyOn(BucketLeases.prototype, 'renew');
    // Leases last longer than any pause of the machine; a read with too little left would be the last one.
    renewals.mockImplementation(async function (this: BucketLeases) {
      if (this.owned().length === 16) return;
      await renew.call(this);
      await messaging.maintenance.query(
        `update outbox_bucket set lease_until = 'infinity' where owner = $1`,
        [this.owner],
      );
    });
    try {
      const relay = startRelay(publish, { unaskedEveryMs: HOUR_MS });
      await waitFor('the other buckets', () => counts.ownedBuckets === 15);
      // One more than a batch holds.
      await messaging.producer.query(
        `insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
         select gen_random_uuid(), $1, $2, $2, n, 'account.counted', 1, now(), '{}'
         from generate_series(1, 201) n`,
        [bucketOf(key), key],
      );
      await leaseOf('-infinity');
      await waitFor('the counts', () => counts.sent.get('account.counted') === before + 201);
      expect(tries).toBe(3);
      const [read, renewed] = [reads, renewals].map(({ mock }) => mock.calls.length);
      // In this time, the relay polls twenty times.
      await waitFor('the next renewal', () => renewals.mock.calls.length > renewed);
      expect(reads.mock.calls).toHaveLength(read);
      await waitFor('a read at once', () => {
        const seen = reads.mock.calls.length;
        relay.wake();
        return reads.mock.calls.length > seen;
      });
    } finally {
      reads.mockRestore();
      renewals.mockRestore();
    }
  });

  it('only one batch of a bucket is in flight at a time', async () => {
    const key = newId();
    let inFlight = 0;
    let most = 0;
    let batches = 0;
    startRelay(async (messages) => {
      if (messages[0].bucket !== bucketOf(key)) return;
      most = Math.max(most, ++inFlight);
      batches++;
      await messaging.producer.query('select pg_sleep(0.02)');
      inFlight--;
    });
    for (let n = 0; n < 30; n++) {
      await messaging.say(Counted, key, { n });
      relays[0].wake();
      if (n === 0) await waitFor('the first batch', () => batches > 0);
    }
    await allSent();
    expect(batches).toBeGreaterThan(1);
    expect(most).toBe(1);
  });

  it('rows are deleted 10 minutes after they have been sent, however old they are', async () => {
    const outbox = new OutboxRepository(messaging.maintenance, newId());
    await messaging.maintenance.query('delete from outbox');
    const keys = Array.from({ length: 3 }, newId);
    for (const key of keys) await messaging.say(Counted, key, { n: 1 });
    await messaging.maintenance.query(
      `update outbox set occurred_at = now() - interval '1 day',
         sent_at = case key when $1 then now() - interval '10 minutes 1 s'
                            when $2 then now() - interval '9 minutes' end`,
      keys.slice(0, 2),
    );
    expect(await outbox.deleteOld(100)).toBe(1);
    const left = await messaging.maintenance.query<{ key: string }>(
      'select key from outbox order by position',
    );
    expect(left.map(({ key }) => key)).toEqual(keys.slice(1));
  });

  it('a backlog of sent rows is deleted in one go', async () => {
    const deletions = jest.spyOn(OutboxRepository.prototype, 'deleteOld').mockResolvedValue(0);
    deletions.mockResolvedValueOnce(10_000).mockResolvedValueOnce(10_000);
    const renewals = jest.spyOn(BucketLeases.prototype, 'renew');
    try {
      startRelay(async () => {});
      await waitFor('the last deletion', () => deletions.mock.calls.length === 3);
      // There is one renewal every 2 s, and otherwise one deletion every 30 s.
      expect(renewals.mock.calls.length).toBeLessThan(15);
    } finally {
      deletions.mockRestore();
      renewals.mockRestore();
    }
  });
});

function keyInOtherBucket(key: string): string {
  let other = newId();
  while (bucketOf(other) === bucketOf(key)) other = newId();
  return other;
}
