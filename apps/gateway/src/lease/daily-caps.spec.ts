import { describe, expect, it } from '@jest/globals';
import { DailyCredits } from '#libs/counters';
import { DAY_MS, HOUR_MS, Logger, newId } from '#libs/platform';
import { TestClock } from '#test/environment';
import { DailyCaps } from './daily-caps.js';
import { FollowCapsJob } from './follow-caps.job.js';

const capReached = { status: 402, code: 'key_cap_reached' };
const lineOf = (dailyCreditCap: number) => {
  const id = newId();
  return { capId: id, keyIds: [id], dailyCreditCap };
};
const key = lineOf(3);
const eachOf = (credits: number) => async (keyIds: readonly string[]) =>
  new Map(keyIds.map((keyId) => [keyId, credits]));
const nothing = eachOf(0);

describe('daily caps', () => {
  it('S14: credits released after midnight are not returned to the new day', async () => {
    const clock = new TestClock('2026-03-02T23:59:59Z');
    const caps = new DailyCaps(clock, nothing);
    await caps.prepare(key);
    const yesterday = caps.reserve(key, 2) as number;
    expect(caps.reserve(key, 2)).toMatchObject(capReached);
    clock.advance(DAY_MS);
    const today = caps.reserve(key, 3) as number;
    caps.release(key, 2, yesterday);
    expect(caps.reserve(key, 1)).toMatchObject(capReached);
    caps.release(key, 1, today);
    expect(caps.reserve(key, 1)).toBe(today);
  });

  it('S101: a clock set back across midnight does not reset a cap', async () => {
    const clock = new TestClock('2026-03-02T23:30:00Z');
    const caps = new DailyCaps(clock, nothing);
    await caps.prepare(key);
    expect(caps.reserve(key, 3)).toEqual(expect.any(Number));
    clock.advance(HOUR_MS);
    expect(caps.reserve(key, 3)).toEqual(expect.any(Number));
    clock.advance(-HOUR_MS);
    expect(caps.reserve(key, 1)).toMatchObject(capReached);
    clock.advance(HOUR_MS);
    expect(caps.reserve(key, 1)).toMatchObject(capReached);
    clock.advance(DAY_MS);
    expect(caps.reserve(key, 3)).toEqual(expect.any(Number));
  });

  it('S14: a count starts with the charges that the request log has for the day', async () => {
    const caps = new DailyCaps(new TestClock(), eachOf(2));
    await caps.prepare(key);
    expect(caps.reserve(key, 1)).toEqual(expect.any(Number));
    expect(caps.reserve(key, 1)).toMatchObject(capReached);
  });

  it('S14: a rotation does not restart the count, and the log is read for all keys of the rotation', async () => {
    const asked: (readonly string[])[] = [];
    const caps = new DailyCaps(new TestClock(), async (keyIds) => {
      asked.push(keyIds);
      return new Map([[keyIds[1], 1]]);
    });
    const rotated = { ...key, keyIds: [...key.keyIds, newId()] };
    await caps.prepare(rotated);
    expect(asked).toEqual([rotated.keyIds]);
    expect(caps.reserve(key, 2)).toEqual(expect.any(Number));
    expect(caps.reserve(rotated, 1)).toMatchObject(capReached);
  });

  it('S14: a key for whose count there is no room is rejected, and the other keys keep their counts', async () => {
    const caps = new DailyCaps(new TestClock(), eachOf(1), new DailyCredits(64));
    const keys = Array.from({ length: 200 }, () => lineOf(2));
    const ready = await Promise.allSettled(keys.map((one) => caps.prepare(one)));
    const roomFor = keys.filter((_, at) => ready[at]?.status === 'fulfilled');
    expect(roomFor).toHaveLength(64);
    expect(ready.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { status: 503, code: 'service_overloaded' },
    });
    for (const one of roomFor) expect(caps.reserve(one, 1)).toEqual(expect.any(Number));
    for (const one of roomFor) expect(caps.reserve(one, 1)).toMatchObject(capReached);
  });

  it('S14: several gateways enforce one cap together, except for charges between two reads of the log', async () => {
    const line = lineOf(20);
    const [log, clock] = [new Map<string, number>(), new TestClock()];
    const gateways = [1, 2, 3].map(() => new DailyCaps(clock, async () => log));
    const spend = (caps: DailyCaps) => {
      if (typeof caps.reserve(line, 1) !== 'number') return 0;
      log.set(line.capId, (log.get(line.capId) ?? 0) + 1);
      return 1;
    };
    await Promise.all(gateways.map(async (caps) => caps.prepare(line)));
    let spent = 0;
    for (let second = 0; second < 10; second++) {
      for (const caps of gateways) spent += spend(caps) + spend(caps);
      await Promise.all(gateways.map(async (caps) => caps.followOthers()));
    }
    // In the fourth second, each gateway sees 18 spent credits, and accepts two requests.
    expect(spent).toBe(24);
    clock.advance(DAY_MS);
    log.clear();
    expect(gateways.map(spend)).toEqual([1, 1, 1]);
  });

  it('S14: the log is not read for keys that are not used', async () => {
    let looks = 0;
    const caps = new DailyCaps(new TestClock(), async () => {
      looks++;
      return new Map();
    });
    await caps.prepare(key);
    await caps.followOthers();
    expect(looks).toBe(1);
    caps.reserve(key, 1);
    await caps.followOthers();
    await caps.followOthers();
    expect(looks).toBe(2);
  });

  it('S14: a key without a cap is not counted, but a key with the smallest cap is', async () => {
    let looks = 0;
    const caps = new DailyCaps(new TestClock(), async () => {
      looks++;
      return new Map();
    });
    const [free, one] = [lineOf(0), lineOf(1)];
    await caps.prepare(free);
    expect(caps.reserve(free, 1_000)).toBe(0);
    await caps.followOthers();
    expect(looks).toBe(0);
    await caps.prepare(one);
    const day = caps.reserve(one, 1) as number;
    expect(caps.reserve(one, 1)).toMatchObject(capReached);
    caps.release(one, 1, day);
    expect(caps.reserve(one, 1)).toBe(day);
  });

  it('S14: the log is read for all keys of a rotation, whichever other keys are in use', async () => {
    const asked: (readonly string[])[] = [];
    const caps = new DailyCaps(new TestClock(), async (keyIds) => {
      asked.push(keyIds);
      return new Map();
    });
    const rotated = { ...key, keyIds: [...key.keyIds, newId()] };
    await caps.prepare(rotated);
    const [known, unknown] = [lineOf(3), lineOf(3)];
    await caps.prepare(known);
    for (const line of [rotated, known, unknown]) caps.reserve(line, 1);
    await caps.followOthers();
    expect(asked.at(-1)).toEqual([...rotated.keyIds, ...known.keyIds, unknown.capId]);
  });

  it('S14: a log that cannot be read for a while changes no count, and is read again', async () => {
    let isDown = true;
    const caps = new DailyCaps(new TestClock(), async (keyIds) => {
      if (isDown) throw new Error('no database');
      return eachOf(3)(keyIds);
    });
    const job = new FollowCapsJob(caps, new Logger('gateway', { write: () => {} }));
    expect(caps.reserve(key, 1)).toEqual(expect.any(Number));
    await job.runOnce();
    expect(caps.reserve(key, 1)).toEqual(expect.any(Number));
    isDown = false;
    await job.runOnce();
    expect(caps.reserve(key, 1)).toMatchObject(capReached);
  });
});
