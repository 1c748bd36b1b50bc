import { getEventListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FairTurns, type EndTurn } from './fair-turns.js';
import { LIMITS, Simulation, named } from './fair-turns.contract.js';

describe('turns of accounts', () => {
  let simulation: Simulation;

  beforeEach(() => {
    simulation = new Simulation();
  });
  afterEach(async () => simulation.drain());

  it('S102: an active account waits for at most three turns of each waiting account, even if a new account follows each turn', async () => {
    let newest = 100;
    const again = () => [`new ${newest++}`];
    simulation.ask('active', ...named('new ', newest));
    for (let round = 0; round < 10; round++) {
      expect(await simulation.waitOf('active', { again })).toBeLessThanOrEqual(3 * 101);
      simulation.ask('active');
    }
  });

  it('S102: an account that has used more than its share waits until the others have used as much, but not longer', async () => {
    simulation.ask('active', ...named('new ', 10));
    const cost = (id: string) => (id === 'active' ? 5 : 1);
    expect(await simulation.waitOf('active', { cost })).toBe(0);
    let newest = 10;
    simulation.ask('active');
    const waited = await simulation.waitOf('active', { again: () => [`new ${newest++}`], cost });
    expect(waited).toBeGreaterThan(10);
    // The cost of the turn that ended and of the next one, for each of the 11 accounts.
    expect(waited).toBeLessThanOrEqual((5 + 5) * 11);
  });

  it('S102: accounts with heavy turns, however many, hardly delay an account with light ones', async () => {
    const heavy = named('heavy ', 50);
    const cost = (id: string) => (id === 'light' ? 0.01 : 2);
    simulation.ask(...heavy, ...heavy);
    for (let count = 0; count < 120; count++) simulation.ask(await simulation.end(cost));
    for (let round = 0; round < 5; round++) {
      simulation.ask('light');
      expect(await simulation.waitOf('light', { cost })).toBeLessThanOrEqual(2 * 2);
    }
  });

  it('S102: the first turns of many new accounts, however heavy, hardly delay an account known for light ones', async () => {
    const cost = (id: string) => (id === 'light' ? 0.01 : 2);
    simulation.ask('light');
    await simulation.end(cost);
    simulation.ask(...named('new ', 50), ...named('new ', 50));
    await simulation.end(cost);
    simulation.ask('light');
    expect(await simulation.waitOf('light', { cost })).toBeLessThanOrEqual(2 * 2);
  });

  it('S102: accounts known for heavy turns do not seem light after a few quick ones', async () => {
    simulation = new Simulation({ atOnce: 2, heavy: { cost: 0.1, atOnce: 1 } });
    const many = named('heavy ', 50);
    let heavyCost = 2;
    const cost = (id: string) => (id === 'light' ? 0.01 : heavyCost);
    simulation.ask('light', ...many);
    for (let count = 0; count <= 50; count++) await simulation.end(cost);
    heavyCost = 0.001;
    for (let round = 0; round < 12; round++) {
      simulation.ask(...many);
      for (let count = 0; count < 50; count++) await simulation.end(cost);
    }
    heavyCost = 2;
    simulation.ask(...many, 'light');
    expect(await simulation.waitOf('light', { cost })).toBeLessThanOrEqual(2);
  });

  it('S102: accounts known for heavy turns leave places to an account with light ones', async () => {
    simulation = new Simulation({ atOnce: 4, heavy: { cost: 1, atOnce: 3 } });
    const heavy = named('heavy ', 10);
    const cost = (id: string) => (id === 'light' ? 0.01 : 4);
    simulation.ask('light', ...heavy);
    for (let count = 0; count <= 10; count++) await simulation.end(cost);
    for (let round = 0; round < 2; round++) {
      simulation.ask(...heavy);
      const end = await Promise.race([simulation.turns.begin('light'), setImmediate('waiting')]);
      expect(end).toBeInstanceOf(Function);
      (end as EndTurn)(0.01);
      for (let count = 0; count < 10; count++) await simulation.end(cost);
    }
  });

  it('S102: the first turns of new accounts, however many, leave places to an account known for light ones', async () => {
    simulation = new Simulation({ atOnce: 4, heavy: { cost: 1, atOnce: 3 } });
    const cost = () => 0.01;
    simulation.ask('light');
    await simulation.end(cost);
    simulation.ask(...named('new ', 10));
    const end = await Promise.race([simulation.turns.begin('light'), setImmediate('waiting')]);
    expect(end).toBeInstanceOf(Function);
    (end as EndTurn)(0.01);
  });

  it('a turn that begins as heavy counts as heavy until it ends, even if its account comes to be known for light turns in the meantime', async () => {
    simulation = new Simulation({ atOnce: 3, heavy: { cost: 1, atOnce: 1 } });
    for (const [accountId, cost] of [
      ['a', 2.1],
      ['b', 2.1],
      ['c', 0],
    ] as const) {
      simulation.ask(accountId);
      await simulation.end(() => cost);
    }
    // Now the account is known for light turns again.
    simulation.ask('a');
    await simulation.end(() => 0);
    const end = await Promise.race([simulation.turns.begin('b'), setImmediate('waiting')]);
    expect(end).toBeInstanceOf(Function);
    simulation.ask('c');
    await simulation.end(() => 9);
    simulation.ask('c');
    await setImmediate();
    expect(simulation.lasting).toBe(0);
    (end as EndTurn)(1);
  });

  it('among very many accounts, those that had turns most recently are not forgotten', async () => {
    for (const part of ['first ', 'second ']) {
      simulation.ask('heavy');
      await simulation.end(() => 100);
      for (const accountId of named(part, 6_000)) {
        simulation.ask(accountId);
        await simulation.end();
      }
    }
    simulation.ask('running', 'heavy', 'first 0', 'second 0');
    for (let count = 0; count < 3; count++) expect(await simulation.end()).not.toBe('heavy');
  });

  it('among very many accounts, one whose turn is still in progress is not forgotten', async () => {
    simulation = new Simulation({ atOnce: 2 });
    const endLong = (await simulation.turns.begin('long'))!;
    for (const accountId of named('quick ', 10_001)) {
      simulation.ask(accountId);
      await simulation.end();
    }
    simulation.ask('long', 'quick 0');
    expect(await simulation.end()).toBe('quick 0');
    endLong(1);
  });

  it('S102: an account that uses what others leave is not behind later accounts, even if its own turns waited', async () => {
    simulation = new Simulation({ atOnce: 2 });
    const endSlow = (await simulation.turns.begin('slow'))!;
    simulation.ask('active', 'active');
    for (let count = 0; count < 100; count++) simulation.ask(await simulation.end());
    endSlow(1);
    simulation.ask(...named('new ', 10));
    let newest = 10;
    for (const most of [0, 3 * 11]) {
      const again = () => [`new ${newest++}`];
      expect(await simulation.waitOf('active', { again })).toBeLessThanOrEqual(most);
    }
  });

  it('S102: accounts that always have turns waiting, however many, hardly delay an account with few turns', async () => {
    simulation = new Simulation({ atOnce: 4, ofAccount: 2 });
    const busy = named('busy ', 50);
    simulation.ask('rare', ...busy, ...busy, ...busy);
    const waits: number[] = [];
    let asked = 0;
    for (let ended = 0; ended < 2_000; ended++) {
      const accountId = await simulation.end();
      if (accountId === 'rare') waits.push(ended - asked);
      else simulation.ask(accountId);
      if (ended % 200 !== 100) continue;
      simulation.ask('rare');
      asked = ended;
    }
    expect(waits).toHaveLength(11);
    // These are the turns that had begun before it, and as many that begin with it.
    expect(Math.max(...waits)).toBeLessThanOrEqual(2 * 4);
  });

  it('S102: an account with few turns may have several in a row before those that always have some waiting', async () => {
    const busy = named('busy ', 50);
    simulation.ask('rare', ...busy, ...busy, ...busy);
    for (let count = 0; count < 500; count++) {
      const accountId = await simulation.end();
      if (accountId !== 'rare') simulation.ask(accountId);
    }
    const again = () => ['busy 0'];
    for (let turn = 0; turn < 5; turn++) {
      simulation.ask('rare');
      // It waits only for the turn that is in progress.
      expect(await simulation.waitOf('rare', { again })).toBe(1);
    }
    simulation.ask('rare');
    expect(await simulation.waitOf('rare', { again })).toBeGreaterThan(10);
  });

  it.each([0, 1])(
    'a long turn of one account does not put an active account behind new ones while %i others wait',
    async (others) => {
      simulation = new Simulation({ atOnce: 2 });
      const endSlow = (await simulation.turns.begin('slow'))!;
      simulation.ask('active', 'slow');
      for (let count = 0; count < 100; count++) {
        await simulation.end();
        simulation.ask('active');
      }
      endSlow(1);
      simulation.ask(...named('other ', others));
      expect(await simulation.end()).toBe('active');
      simulation.ask(...named('first ', 10), 'active');
      let newest = 0;
      const again = () => [`new ${newest++}`];
      expect(await simulation.waitOf('active', { again })).toBeLessThanOrEqual(3 * 12);
    },
  );

  it('use counts only while others wait, so an account may use idle times', async () => {
    for (let count = 0; count < 50; count++) {
      simulation.ask('active');
      await simulation.end();
    }
    simulation.ask('running', ...named('new ', 10));
    simulation.ask('active');
    expect(await simulation.waitOf('active')).toBeLessThanOrEqual(11);
  });

  it.each([1, 2])(
    'S102: known accounts that were idle do not come before the only active one again and again, with %i turns at once',
    async (atOnce) => {
      simulation = new Simulation({ atOnce });
      const others = named('other ', 20);
      simulation.ask('active', ...others);
      await simulation.drain();
      for (let count = 0; count < 50; count++) {
        simulation.ask('active');
        await simulation.end();
      }
      for (let round = 0; round < 5; round++) simulation.ask(...others);
      simulation.ask('active');
      expect(await simulation.waitOf('active')).toBeLessThanOrEqual(20 + atOnce);
      simulation.ask('active');
      expect(await simulation.waitOf('active')).toBeLessThanOrEqual(20 + atOnce);
    },
  );

  it('one account has few turns at a time, and a long turn lets another account’s begin', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    let idle = 0;
    const use = jest
      .spyOn(performance, 'eventLoopUtilization')
      .mockImplementation(() => ({ idle: (idle += 250), active: 0, utilization: 0 }));
    const turns = new FairTurns({ ...LIMITS, atOnce: 2, countedMs: 250 });
    const order: string[] = [];
    const begin = async (accountId: string) => {
      const end = await turns.begin(accountId);
      order.push(accountId);
      return end!;
    };
    const ends = ['a', 'a', 'b', 'c'].map(begin);
    await setImmediate();
    expect(order).toEqual(['a', 'b']);
    mock.timers.tick(250);
    await setImmediate();
    expect(order).toEqual(['a', 'b', 'c']);
    for (const place of [2, 3, 0, 1]) (await ends[place])(1);
    expect(order).toEqual(['a', 'b', 'c', 'a']);
    for (const accountId of ['d', 'e', 'f']) void begin(accountId);
    await setImmediate();
    expect(order.slice(4)).toEqual(['d', 'e']);
    use.mockRestore();
    mock.timers.reset();
  });

  it('S102: a long turn counts for longer while the process has no idle time, so that few turns share it', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const use = jest
      .spyOn(performance, 'eventLoopUtilization')
      .mockReturnValue({ idle: 0, active: 1, utilization: 1 });
    const turns = new FairTurns({ ...LIMITS, countedMs: 250 });
    let begun = 0;
    for (const accountId of named('account ', 3)) void turns.begin(accountId).then(() => begun++);
    const begunBy: number[] = [];
    for (let quarter = 0; quarter < 4; quarter++) {
      mock.timers.tick(250);
      await setImmediate();
      begunBy.push(begun);
    }
    use.mockRestore();
    mock.timers.reset();
    expect(begunBy).toEqual([1, 1, 1, 2]);
  });

  it('a turn is refused if it is no longer wanted, if its account has too many, or if too many wait and it is the last', async () => {
    simulation = new Simulation({ waitingMax: 3, ofAccountMax: 2 });
    simulation.ask('heavy');
    await simulation.end(() => 9);
    const running = (await simulation.turns.begin('a'))!;
    const gone = new AbortController();
    const left = simulation.turns.begin('b', gone.signal);
    gone.abort();
    expect(await left).toBeUndefined();
    const last = simulation.turns.begin('heavy');
    const waiting = ['c', 'd', 'e'].map(async (accountId) => simulation.turns.begin(accountId));
    expect(await last).toBeUndefined();
    running(1);
    for (const turn of waiting) (await turn)!(1);
    const own = Array.from({ length: 3 }, async () => simulation.turns.begin('f'));
    expect(await own[2]).toBeUndefined();
    for (const turn of own.slice(0, 2)) (await turn)!(1);
  });

  it('a turn that waits too long is refused', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const turns = new FairTurns({ ...LIMITS, waitMaxMs: 1_000 });
    await turns.begin('a');
    const late = turns.begin('b').then(() => 'over');
    const states: unknown[] = [];
    for (const waitedMs of [999, 1]) {
      mock.timers.tick(waitedMs);
      states.push(await Promise.race([late, setImmediate('waiting')]));
    }
    mock.timers.reset();
    expect(states).toEqual(['waiting', 'over']);
  });

  it('turns that are given up leave nothing behind', async () => {
    simulation = new Simulation({ ofAccountMax: 1 });
    const running = (await simulation.turns.begin('a'))!;
    for (let count = 0; count < 2; count++) {
      const gone = new AbortController();
      const left = simulation.turns.begin('b', gone.signal);
      gone.abort();
      expect(await left).toBeUndefined();
    }
    const { signal } = new AbortController();
    const next = simulation.turns.begin('b', signal);
    running(1);
    (await next)!(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('if too many wait, the account with the most waiting turns loses one, even to a new account', async () => {
    simulation = new Simulation({ waitingMax: 3 });
    simulation.ask('busy');
    await simulation.end();
    const running = (await simulation.turns.begin('busy'))!;
    const waiting = Array.from({ length: 3 }, async () => simulation.turns.begin('many'));
    waiting.push(simulation.turns.begin('one'));
    expect(await waiting[2]).toBeUndefined();
    running(1);
    await Promise.all(waiting.map(async (turn) => (await turn)?.(1)));
  });
});
