import { describe, expect, it } from '@jest/globals';
import { UpstreamLimiter } from './upstream-limiter.js';
import type { UpstreamLimit } from './upstream-limits.js';

const HOST = 'whois.scarce.example';
const DAY_SECONDS = 86_400;
/** A limit that some registries publish: 20 at once, 80 a day. */
const SCARCE: UpstreamLimit = {
  buckets: [{ burst: 20, perSecond: 80 / DAY_SECONDS }],
  connections: 2,
};
const WIDE: UpstreamLimit = { buckets: [{ burst: 1_000, perSecond: 1_000 }], connections: 1 };

function limiterOf(limit: UpstreamLimit) {
  let nowMs = 0;
  const limiter = new UpstreamLimiter({
    limits: new Map([[HOST, limit]]),
    now: () => nowMs,
    schedule: () => () => {},
  });
  const ask = async (asker: string) => {
    const answer = await limiter.acquire(HOST, { priority: 'live', asker });
    if (answer.granted) answer.failed();
    return answer.granted ? 'goes' : answer.reason;
  };
  return { limiter, ask, advance: (ms: number) => (nowMs += ms) };
}

describe('the budget of a registry', () => {
  it('cannot be exhausted by one account, however many queries it sends', async () => {
    const { ask } = limiterOf(SCARCE);
    const greedy: string[] = [];
    for (let i = 0; i < 24; i++) greedy.push(await ask('greedy'));
    expect(greedy.filter((word) => word === 'goes').length).toBeLessThanOrEqual(15);
    expect(greedy.at(-1)).toBe('share_used');
    expect(await ask('other')).toBe('goes');
    expect(await ask('third')).toBe('goes');
    expect(await ask('greedy')).toBe('share_used');
  });

  it('is shared while others query: each account gets at most a quarter of the rest', async () => {
    const { ask } = limiterOf(SCARCE);
    const counts = new Map([
      ['a', 0],
      ['b', 0],
      ['c', 0],
    ]);
    for (let round = 0; round < 20; round++) {
      for (const asker of counts.keys()) {
        if ((await ask(asker)) === 'goes') counts.set(asker, counts.get(asker)! + 1);
      }
    }
    for (const count of counts.values()) {
      expect(count).toBeGreaterThanOrEqual(3);
      expect(count).toBeLessThanOrEqual(5);
    }
  });

  it('recovers for each account as time passes', async () => {
    const { ask, advance } = limiterOf(SCARCE);
    while ((await ask('a')) === 'goes');
    advance((DAY_SECONDS / 4) * 1_000);
    expect(await ask('a')).toBe('goes');
  });
});

describe('the queue of an upstream', () => {
  it('alternates between accounts, and no account can fill it', async () => {
    const { limiter } = limiterOf(WIDE);
    const first = await limiter.acquire(HOST, { priority: 'live', asker: 'a' });
    const order: string[] = [];
    const wait = async (asker: string) => {
      const answer = await limiter.acquire(HOST, { priority: 'live', asker });
      order.push(answer.granted ? asker : answer.reason);
      if (answer.granted) answer.release();
    };
    const waiting = [...Array.from({ length: 25 }, () => 'a'), 'b', 'a'].map(wait);
    if (first.granted) first.release();
    await Promise.all(waiting);
    expect(order[0]).toBe('queue_full');
    expect(order.slice(1, 3)).toEqual(['a', 'b']);
    expect(order.filter((who) => who === 'a')).toHaveLength(25);
  });

  it('has a place for an account with few waiting queries, even if other accounts have filled it', async () => {
    const { limiter } = limiterOf(WIDE);
    const first = await limiter.acquire(HOST, { priority: 'live', asker: 'a' });
    const refused: string[] = [];
    const served: string[] = [];
    const wait = async (asker: string) => {
      const answer = await limiter.acquire(HOST, { priority: 'live', asker });
      if (answer.granted) served.push(asker);
      else refused.push(asker);
      if (answer.granted) answer.release();
    };
    const waiting = [...'abcd'].flatMap((asker) => Array.from({ length: 25 }, () => wait(asker)));
    waiting.push(wait('e'), wait('e'));
    await turns();
    expect(refused).toEqual(['a', 'b']);
    if (first.granted) first.release();
    await Promise.all(waiting);
    expect(served.slice(0, 5).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('removes no query of an account for one of an account that would have as many', async () => {
    const { limiter } = limiterOf(WIDE);
    await limiter.acquire(HOST, { priority: 'live', asker: 'a' });
    const waiting = Array.from({ length: 100 }, (_, at) =>
      limiter.acquire(HOST, { priority: 'live', asker: `a${at % 50}` }),
    );
    const last = await limiter.acquire(HOST, { priority: 'live', asker: 'a0' });
    expect(last).toMatchObject({ granted: false, reason: 'queue_full' });
    const other = limiter.acquire(HOST, { priority: 'live', asker: 'b' });
    expect(await Promise.race([...waiting, other])).toMatchObject({ reason: 'queue_full' });
  });

  it('leaves a connection to others at a silent server, however many names one account queries', async () => {
    const { limiter } = limiterOf({ ...WIDE, connections: 4 });
    const held: string[] = [];
    const ends: (() => void)[] = [];
    const ask = async (asker: string, priority: 'live' | 'bulk' = 'live') => {
      const answer = await limiter.acquire(HOST, { priority, asker });
      if (!answer.granted) return;
      held.push(asker);
      ends.push(answer.failed);
    };
    for (let name = 0; name < 20; name += 1) void ask('a');
    await turns();
    expect(held).toEqual(['a', 'a', 'a']);
    void ask('b', 'bulk');
    await turns();
    expect(held).toEqual(['a', 'a', 'a', 'b']);
    ends[0]();
    await turns();
    expect(held.slice(4)).toEqual(['a']);
    // An account that already has connections does not get the last one.
    ends[3]();
    await turns();
    expect(held).toHaveLength(5);
  });

  it('is open to a single account if there is only one connection', async () => {
    const { limiter } = limiterOf(WIDE);
    expect(await limiter.acquire(HOST, { priority: 'live', asker: 'a' })).toMatchObject({
      granted: true,
    });
  });
});

/** Waits until every promise that can settle has settled. */
const turns = () => new Promise(setImmediate);
