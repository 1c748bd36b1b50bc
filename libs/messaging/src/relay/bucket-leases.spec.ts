import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '#libs/database';
import { newId } from '#libs/platform';
import { waitFor } from '#test/environment';
import { bucketOf } from '../envelope/bucket.js';
import { Counted, MessagingHarness } from '../transports/messaging-harness.contract.js';
import { BucketLeases } from './bucket-leases.js';
import { OutboxRepository } from './outbox.repository.js';

describe('leases of buckets', () => {
  let messaging: MessagingHarness;

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
  });
  beforeEach(() => messaging.expireLeases());
  afterAll(() => messaging.close());

  /** Sets how long leases last from now on, instead of 6 s, however slow the machine is. */
  const leaseFor = (left: string) =>
    messaging.maintenance.query(
      `update outbox_bucket set lease_until = clock_timestamp() + $1::interval`,
      [left],
    );

  it('a bucket is leased for six seconds from its claim and from each renewal', async () => {
    const leases = new BucketLeases(messaging.maintenance, newId());
    for (let turn = 0; turn < 2; turn++) {
      const [{ soonest }] = await messaging.maintenance.query<{ soonest: string }>(
        `select (clock_timestamp() + interval '6 s')::text as soonest`,
      );
      await leases.renew();
      const [row] = await messaging.maintenance.query(
        `select min(lease_until) >= $1 as are_long,
           max(lease_until) <= clock_timestamp() + interval '6 s' as are_short from outbox_bucket`,
        [soonest],
      );
      expect(row).toEqual({ are_long: true, are_short: true });
    }
    await leases.release();
  });

  it('a fenced owner can neither read nor mark rows, but the new owner can', async () => {
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    const [stopped, successor] = [newId(), newId()].map((owner) => ({
      leases: new BucketLeases(messaging.maintenance, owner),
      outbox: new OutboxRepository(messaging.maintenance, owner),
    }));
    const bucketIn = (leases: BucketLeases) =>
      leases.owned().filter(({ bucket }) => bucket === bucketOf(key));
    await stopped.leases.renew();
    await leaseFor('1 hour');
    const before = bucketIn(stopped.leases);
    const [row] = await stopped.outbox.listUnsent(before, 200);
    await successor.leases.renew();
    expect(successor.leases.owned()).toEqual([]);

    await messaging.expireLeases();
    await successor.leases.renew();
    await leaseFor('1 hour');
    const after = bucketIn(successor.leases);
    expect(BigInt(after[0].epoch)).toBe(BigInt(before[0].epoch) + 1n);
    expect(await stopped.outbox.listUnsent(before, 200)).toEqual([]);
    expect(await stopped.outbox.markSent(before[0], [row.id])).toBe(false);
    expect(await messaging.unsent()).toBe(1);
    await stopped.leases.renew();
    expect(stopped.leases.owned()).toEqual([]);
    expect(await successor.outbox.markSent(after[0], [row.id])).toBe(true);
    expect(await messaging.unsent()).toBe(0);
    await successor.leases.release();
    expect(successor.leases.owned()).toEqual([]);
    await stopped.leases.renew();
    expect(stopped.leases.owned()).toHaveLength(16);
    await stopped.leases.release();
  });

  it('an owner from an earlier epoch has no bucket, even under the same name', async () => {
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    const owner = newId();
    const leases = new BucketLeases(messaging.maintenance, owner);
    const outbox = new OutboxRepository(messaging.maintenance, owner);
    await leases.renew();
    await leaseFor('1 hour');
    const [own, other] = [bucketOf(key), (bucketOf(key) + 1) % 16];
    const takeAgain = (bucket: number) =>
      messaging.maintenance.query('update outbox_bucket set epoch = epoch + 1 where bucket = $1', [
        bucket,
      ]);
    const earlier = leases.owned().find(({ bucket }) => bucket === own)!;
    const [{ id }] = await outbox.listUnsent([earlier], 1);
    await takeAgain(own);
    expect(await outbox.listUnsent([earlier], 1)).toEqual([]);
    expect(await outbox.markSent(earlier, [id])).toBe(false);
    await leases.renew();
    expect(leases.owned().map(({ bucket }) => bucket)).not.toContain(own);
    await leaseFor('1 hour');
    await takeAgain(other);
    await leases.release();
    const held = await messaging.maintenance.query<{ bucket: number }>(
      'select bucket from outbox_bucket where lease_until > clock_timestamp() order by bucket',
    );
    expect(held.map(({ bucket }) => bucket)).toEqual([own, other].toSorted((a, b) => a - b));
    await messaging.expireLeases();
    await messaging.maintenance.query('delete from outbox where key = $1', [key]);
  });

  it('nothing is read when less than 3 s of a lease is left', async () => {
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    const owner = newId();
    const leases = new BucketLeases(messaging.maintenance, owner);
    const outbox = new OutboxRepository(messaging.maintenance, owner);
    await leases.renew();
    await leaseFor('2.9 s');
    expect(await outbox.listUnsent(leases.owned(), 200)).toEqual([]);
    await waitFor('the event to be read with 5 s left', async () => {
      await leaseFor('5 s');
      return (await outbox.listUnsent(leases.owned(), 200)).length === 1;
    });
    await leases.release();
  });

  it('a bucket whose row is locked does not delay claims of other buckets', async () => {
    const leases = new BucketLeases(messaging.maintenance, newId());
    await messaging.expireLeases();
    await withClient(messaging.test.url(), async (client) => {
      await client.query('begin');
      await client.query('select from account.outbox_bucket where bucket = 3 for update');
      const claim = leases.renew();
      await waitFor('the claim', () => leases.owned().length === 15);
      await client.query('rollback');
      await claim;
    });
    expect(leases.owned().map(({ bucket }) => bucket)).not.toContain(3);
    await leases.release();
  });
});
