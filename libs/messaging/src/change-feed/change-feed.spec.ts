import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChangeCursor } from '#libs/contracts';
import { newId } from '#libs/platform';
import { TestDatabase } from '#test/environment';
import { Counted, MessagingHarness } from '../transports/messaging-harness.contract.js';
import { ChangeFeed } from './change-feed.js';

const WRITERS = 12;
const CHANGES_PER_WRITER = 25;

describe('change feed', () => {
  let messaging: MessagingHarness;
  let feed: ChangeFeed;

  beforeAll(async () => {
    messaging = await MessagingHarness.open();
    feed = new ChangeFeed(messaging.producer);
  });
  afterAll(() => messaging.close());

  it('the first poll returns no keys, and the next poll exactly those that have changed since', async () => {
    await messaging.say(Counted, newId(), { n: 1 });
    const first = await feed.read();
    expect(first.keys).toEqual([]);
    expect((await feed.read(first.cursor)).keys).toEqual([]);
    const key = newId();
    await messaging.say(Counted, key, { n: 2 });
    await messaging.say(Counted, key, { n: 3 });
    const second = await feed.read(first.cursor);
    expect(second).toEqual({ token: first.token, cursor: expect.anything(), keys: [key] });
    expect((await feed.read(second.cursor)).keys).toEqual([]);
  });

  it('no key is skipped or repeated while 12 writers roll back, use savepoints and delay commits', async () => {
    const committed: string[] = [];
    let cursor: ChangeCursor = (await feed.read()).cursor;
    let isWriting = true;
    const seen: string[] = [];
    const poll = async () => {
      const page = await feed.read(cursor);
      cursor = page.cursor;
      seen.push(...page.keys);
    };
    const polling = (async () => {
      while (isWriting) await poll();
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let turn = 0; turn < CHANGES_PER_WRITER; turn++) {
          const key = newId();
          if (await write(messaging, key, writer + turn)) committed.push(key);
        }
      }),
    );
    isWriting = false;
    await polling;
    await poll();
    expect(committed.length).toBeGreaterThan(WRITERS);
    expect(seen.toSorted()).toEqual(committed.toSorted());
  });

  it('the key of a row above the highest transaction id is returned, even if the snapshot claims to see that row', async () => {
    const { cursor } = await feed.read();
    const key = newId();
    await messaging.say(Counted, key, { n: 1 });
    // After a crash, an id can be used again and is then above the poller's snapshot.
    const { cursor: later } = await feed.read(cursor);
    expect((await feed.read({ ...later, highestXid: cursor.highestXid })).keys).toEqual([key]);
  });

  it('a clone has its own token, even if its tables have the same numbers', async () => {
    const clones = await Promise.all([TestDatabase.create(), TestDatabase.create()]);
    try {
      const tokens = clones.map(async (clone) => {
        const account = await clone.service('account');
        return (await new ChangeFeed(account).read()).token;
      });
      expect(new Set(await Promise.all(tokens)).size).toBe(2);
    } finally {
      await Promise.all(clones.map((clone) => clone.drop()));
    }
  });

  it('the outbox of another database has its own token', async () => {
    const other = await TestDatabase.create();
    try {
      const elsewhere = new ChangeFeed(await other.service('entitlement'));
      expect((await elsewhere.read()).token).not.toBe((await feed.read()).token);
      expect((await feed.read()).token).toBe((await feed.read()).token);
    } finally {
      await other.drop();
    }
  });
});

const INSERT = `
  insert into outbox (id, bucket, key, aggregate, sequence, type, version, occurred_at, data)
  values ($1, 0, $2, $2, $3, 'account.counted', 1, now(), '{"n":1}')`;

/** Runs one transaction in one of five ways. @returns whether it committed a change to the key. */
async function write(messaging: MessagingHarness, key: string, manner: number): Promise<boolean> {
  const undone = new Error('undone on purpose');
  try {
    await messaging.producer.transaction(async (transaction) => {
      await transaction.query('savepoint inner_work');
      await transaction.query(INSERT, [newId(), newId(), 1]);
      await transaction.query('rollback to savepoint inner_work');
      if (manner % 5 === 0) await transaction.query('savepoint deeper');
      await transaction.query(INSERT, [newId(), key, 1]);
      if (manner % 5 === 1) throw undone;
      if (manner % 5 === 2) await transaction.query('select pg_sleep(0.03)');
      if (manner % 5 === 3) await transaction.query(INSERT, [newId(), key, 2]);
    });
    return true;
  } catch (error) {
    if (error !== undone) throw error;
    return false;
  }
}
